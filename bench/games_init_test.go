package bench_test

import "tengen/cli"

func init() { cli.Register() }

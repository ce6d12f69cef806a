package runs_test

import "tengen/cli"

func init() { cli.Register() }

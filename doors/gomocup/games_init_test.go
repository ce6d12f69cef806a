package gomocup_test

import "tengen/internal/cli"

func init() { cli.Register() }

package gomocup_test

import "tengen/cmd/cli"

func init() { cli.Register() }

package web_test

import "tengen/cli"

func init() { cli.Register() }

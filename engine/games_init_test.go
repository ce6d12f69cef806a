package engine_test

import "tengen/internal/cli"

func init() { cli.Register() }

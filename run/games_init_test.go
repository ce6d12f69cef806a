package run_test

import "tengen/run/games"

func init() { games.Register() }

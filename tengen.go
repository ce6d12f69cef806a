// Package tengen makes a program of your games: all that tengen does, for them as well as for the games that come with it. Package
// game says what a game is; docs/packages.md lists the packages from the ground up.
package tengen

import (
	_ "embed"

	"tengen/cmd/cli"
	"tengen/run"
)

// Main is the main function of such a program: it runs the command line, and ends the process.
func Main(games ...run.Family) { cli.Main(config, games...) }

//go:embed config.yaml
var config []byte

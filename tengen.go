// Package tengen makes a program with your games: all that tengen does, for them as well as for the games that come with it.
// Package game says what a game is; docs/packages.md lists the packages from the ground up.
package tengen

import (
	"tengen/cmd/cli"
	"tengen/run"
)

// Main is the program's main function: it runs the command line and ends the process.
func Main(games ...run.Family) { cli.Main(games...) }

// Package tengen builds a program with your games: it does all that tengen does, for your games as for its own. Package
// game defines what a game is; docs/architecture.md shows the packages and the way of a game.
package tengen

import (
	"tengen/internal/cli"
	"tengen/run"
)

// Main runs the command line and ends the process.
func Main(games ...run.Family) { cli.Main(games...) }

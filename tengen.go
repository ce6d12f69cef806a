// Package tengen builds a program with your games: it does all that tengen does, for your games as for its own. Package
// game defines what a game is; docs/architecture.md shows the packages and the way of a game.
package tengen

import (
	"tengen/engine"
	"tengen/internal/cli"
)

// Main runs the command line and ends the process.
func Main(games ...engine.Family) { cli.Main(games...) }

//go:build !js

// Package tengen builds a program with your games: it does all that tengen does, for your games as for its own. Package
// game defines what a game is; docs/architecture.md shows the packages and the way of a game. "tengen game new hex"
// writes such a program, whose "train --set game=hex:7" trains your game:
//
//	func main() {
//		tengen.Main(engine.Rules[hex.State, *hex.Game]{
//			Name: "hex", Form: "hex:SIDE", Parse: hex.Parse,
//		})
//	}
//
// A program that trains, plays or measures by itself registers its games with engine.Register and uses package run,
// for runs, or package engine, for players. For parts of the algorithm, see the examples of packages mcts, net,
// selfplay and train.
package tengen

import (
	"os"
	"path/filepath"
	"strings"

	"tengen/cli"
	"tengen/engine"
)

// Main runs the command line and ends the process. The program's name is its file's.
func Main(games ...engine.Family) {
	cli.Main(strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe"), games...)
}

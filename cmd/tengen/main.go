// Command tengen trains a board-game player from nothing but the rules, measures it and plays it.
package main

import "tengen/cmd/cli"

func main() { cli.Main() }

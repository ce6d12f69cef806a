// Command tengen trains a board-game player, measures it and plays against people.
package main

import "tengen/cli"

func main() { cli.Main("tengen") }

// Command tengen trains a board-game player, measures it and plays against people. Compiled for browsers, it is the
// engine of a page.
package main

import "tengen"

func main() { tengen.Main() }

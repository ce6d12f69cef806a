// Command games is tengen with two more games: Nim, of textbook.md, and Toads and Frogs, whose pieces move.
package main

import (
	"games/nim"
	"games/toads"
	"tengen"
)

func main() { tengen.Main(nim.Family, toads.Family) }

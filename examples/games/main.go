// Command games is tengen with one more game: Nim, of textbook.md.
package main

import (
	"games/nim"
	"tengen"
)

func main() { tengen.Main(nim.Family) }

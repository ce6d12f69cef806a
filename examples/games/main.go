// Command games is tengen with four more games: Toads and Frogs, whose pieces move, and the three of textbook.md, Nim,
// Predict the Winner and Can I Win.
package main

import (
	"games/theory"
	"games/toads"
	"tengen"
)

func main() { tengen.Main(append(theory.Families(), toads.Family)...) }

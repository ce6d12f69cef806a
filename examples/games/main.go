// Command games is tengen with four more games: Othello and the three of textbook.md, Nim, Predict the Winner and Can I
// Win.
package main

import (
	"games/othello"
	"games/theory"
	"tengen"
)

func main() { tengen.Main(append(theory.Families(), othello.Family)...) }

// Command games is tengen with more games: Nim, Predict the Winner and Can I Win, which textbook.md is about, and Othello.
package main

import (
	"games/othello"
	"games/theory"
	"tengen"
)

func main() { tengen.Main(append(theory.Families(), othello.Family)...) }

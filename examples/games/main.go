// Command games is tengen with three more games: Nim, Predict the Winner and Can I Win. textbook.md is about them.
package main

import (
	"games/theory"
	"tengen"
)

func main() { tengen.Main(theory.Families()...) }

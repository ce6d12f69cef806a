package lines

import (
	"fmt"
	"strings"

	"tengen/game"
)

// Sentence says how lines of k win. exact and closed are as in game.LineSet.
func Sentence(size game.Size, k int, exact, closed bool) string {
	number := fmt.Sprint(k)
	if words := [...]string{1: "one", "two", "three", "four", "five", "six", "seven", "eight"}; k < len(words) {
		number = words[k]
	}
	unless := ""
	switch {
	case exact:
		number = "exactly " + number
	case !closed && (k < size.Columns || k < size.Rows):
		number += " or more"
	}
	if closed {
		unless = ", unless the other side's stones stand at both ends"
	}
	if closed && !exact {
		unless += "; more always win"
	}
	return strings.ToUpper(number[:1]) + number[1:] + " in a row, horizontally, vertically or diagonally, win" + unless + ". A full board is a draw."
}

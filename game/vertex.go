package game

import (
	"slices"
	"strconv"
)

// vertexColumns are the letters of columns in the Go Text Protocol, which leaves out I.
const vertexColumns = "ABCDEFGHJKLMNOPQRSTUVWXYZ"

// rowsFromTop are the families of games whose programs count rows from the top; others count from the bottom.
var rowsFromTop = []string{"othello"}

// Vertex returns a move as the Go Text Protocol writes it (draft 2, section 2.11): a new stone's cell, such as "J9". A
// move of another kind, such as a pass or a step, keeps its notation. family is the first word of the game's name.
func Vertex(family string, board Size, move Target, notation string) string {
	if move.To < 0 || move.From >= 0 || board.Columns > len(vertexColumns) {
		return notation
	}
	row, column := move.To/board.Columns, move.To%board.Columns
	number := board.Rows - row
	if slices.Contains(rowsFromTop, family) {
		number = row + 1
	}
	return vertexColumns[column:column+1] + strconv.Itoa(number) + move.Word
}

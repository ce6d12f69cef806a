package main

import (
	"fmt"
	"io"
	"strings"

	"tengen/game"
)

// stones are the signs of the players, the first player's before the second's.
var stones = [2]string{"X", "O"}

// drawBoard writes the board with its columns and rows named, X for the first player and O for the second, the last move
// in brackets. A position that has no cells to show is written as its text.
func drawBoard[S game.State[S]](w io.Writer, g game.Game[S], s S, colour bool) {
	diagram, ok := any(s).(game.Diagram)
	if !ok {
		fmt.Fprintln(w, s)
		return
	}
	size, last := g.Board(), diagram.LastCell()
	columns, rows := g.Labels()
	margin := 0
	for _, r := range rows {
		margin = max(margin, len(r))
	}
	if rows != nil {
		margin++
	}
	header := strings.Repeat(" ", margin)
	for _, c := range columns {
		header += fmt.Sprintf("%2s ", c)
	}
	fmt.Fprintln(w, header)
	for y := range size.Rows {
		label := ""
		if rows != nil {
			label = rows[y]
		}
		fmt.Fprintf(w, "%-*s", margin, label)
		for x := range size.Columns {
			i := y*size.Columns + x
			switch diagram.Cell(i) {
			case game.First:
				fmt.Fprint(w, stone(0, i == last, colour))
			case game.Second:
				fmt.Fprint(w, stone(1, i == last, colour))
			default:
				fmt.Fprint(w, " . ")
			}
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w, header)
}

// stone is a cell three characters wide.
func stone(player int, last, colour bool) string {
	sign := " " + stones[player] + " "
	if last {
		sign = "(" + stones[player] + ")"
	}
	if colour {
		return fmt.Sprintf("\x1b[1;%dm%s\x1b[0m", [2]int{33, 36}[player], sign)
	}
	return sign
}

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
// in brackets. It reads the position from the planes that the network sees, so it serves every game.
func drawBoard[S game.State[S]](w io.Writer, g game.Game[S], s S, colour bool) {
	height, width := g.Board()
	cells := height * width
	planes := make([]float32, game.Planes*cells)
	s.Encode(planes)
	mover := 1
	if planes[3*cells] == 1 {
		mover = 0
	}
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
	for y := range height {
		label := ""
		if rows != nil {
			label = rows[y]
		}
		fmt.Fprintf(w, "%-*s", margin, label)
		for x := range width {
			i := y*width + x
			sign := " . "
			switch {
			case planes[i] == 1:
				sign = stone(mover, planes[2*cells+i] == 1, colour)
			case planes[cells+i] == 1:
				sign = stone(1-mover, planes[2*cells+i] == 1, colour)
			}
			fmt.Fprint(w, sign)
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

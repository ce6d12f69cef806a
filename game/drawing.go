package game

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Stones are the players' signs in drawings.
var Stones = [2]string{"X", "O"}

// Drawing is a board as text.
type Drawing struct {
	Size          Size
	Columns, Rows []string                            // labels, or nil
	Cells         []Side                              // [Size.Cells()]
	Texts         []string                            // on cells [Size.Cells()] (see Inscribed), or nil
	Joins         Joins                               // cells that are none stay blank
	Last          int                                 // the cell to put in brackets, or -1
	Paint         func(side Side, sign string) string // colours the signs of cells that somebody holds, or nil
}

// String draws the board with its labels, in columns as wide as the longest text. Letters on a cell that somebody holds
// take the place of the sign: capitals are the first player's. It ends in a line feed.
func (d Drawing) String() string {
	margin, width := 0, 1
	for _, label := range d.Rows {
		margin = max(margin, utf8.RuneCountInString(label)+1)
	}
	for _, text := range d.Texts {
		width = max(width, utf8.RuneCountInString(text))
	}
	header := strings.Repeat(" ", margin)
	for _, label := range d.Columns {
		width = max(width, utf8.RuneCountInString(label)-1) // a column has two characters more than its sign
	}
	for _, label := range d.Columns {
		header += fmt.Sprintf("%*s ", width+1, label)
	}
	var b strings.Builder
	line := func(text string) { b.WriteString(strings.TrimRight(text, " ") + "\n") }
	if d.Columns != nil {
		line(header)
	}
	for y := range d.Size.Rows {
		row := strings.Repeat(" ", margin)
		if d.Rows != nil {
			row = fmt.Sprintf("%-*s", margin, d.Rows[y])
		}
		for x := range d.Size.Columns {
			row += d.sign(y*d.Size.Columns+x, width)
		}
		line(row)
	}
	if d.Columns != nil {
		line(header)
	}
	return b.String()
}

// sign returns a cell's sign, with a character for brackets at each side.
func (d Drawing) sign(cell, width int) string {
	sign, text, side := ".", "", d.Cells[cell]
	if d.Texts != nil {
		text = d.Texts[cell]
	}
	if !d.Joins.Point(cell) {
		sign = " "
	}
	upper, lower := strings.ToUpper(text), strings.ToLower(text)
	if upper == lower {
		upper, lower = Stones[0], Stones[1]
	}
	switch {
	case side == First:
		sign = upper
	case side == Second:
		sign = lower
	case text != "":
		sign = text
	}
	if cell == d.Last {
		sign = fmt.Sprintf("%*s", width+2, "("+sign+")")
	} else {
		sign = fmt.Sprintf("%*s ", width+1, sign)
	}
	if side != Nobody && d.Paint != nil {
		return d.Paint(side, sign)
	}
	return sign
}

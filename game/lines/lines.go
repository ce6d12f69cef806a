// Package lines holds what the k-in-a-row games share: board numbers, lines, and a heuristic value of open lines.
package lines

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"tengen/game"
)

// Format returns the numbers in a board's name: "7,6,4" is 7 columns, 6 rows, 4 in a row.
func Format(size game.Size, k int) string { return fmt.Sprintf("%d,%d,%d", size.Columns, size.Rows, k) }

// Parse parses the output of Format. Check checks the ranges.
func Parse(text string) (size game.Size, k int, err error) {
	parts := strings.Split(text, ",")
	if len(parts) != 3 {
		return game.Size{}, 0, fmt.Errorf("board %q: want three numbers, columns,rows,k, such as 7,6,4", text)
	}
	var numbers [3]int
	for i, part := range parts {
		if numbers[i], err = strconv.Atoi(strings.TrimSpace(part)); err != nil {
			return game.Size{}, 0, fmt.Errorf("board %q: %q is not a number; want columns,rows,k, such as 7,6,4", text, part)
		}
	}
	return game.Size{Columns: numbers[0], Rows: numbers[1]}, numbers[2], nil
}

// Check returns an error unless columns and rows are from 1 to limit and k from 1 to the longer side.
func Check(size game.Size, k, limit int) error {
	for _, value := range []struct {
		name     string
		is, most int
	}{{"columns", size.Columns, limit}, {"rows", size.Rows, limit}, {"k", k, max(size.Columns, size.Rows)}} {
		if value.is < 1 || value.is > value.most {
			return fmt.Errorf("board of %v, k %d: %s must be from 1 to %d", size, k, value.name, value.most)
		}
	}
	return nil
}

// Directions are the steps, in rows down and columns to the right, along the four lines through a cell, to larger cells.
var Directions = [4]struct{ Rows, Columns int }{{0, 1}, {1, 0}, {1, 1}, {1, -1}}

// All returns the cells of each line of k cells, numbered as in game.Size.
func All(size game.Size, k int) [][]int16 {
	var all [][]int16
	each(size, k, func(at func(i int) int16) {
		line := make([]int16, k)
		for i := range line {
			line[i] = at(i)
		}
		all = append(all, line)
	})
	return all
}

// Ends returns, for each line of All, the cells before and after it, -1 if off the board.
func Ends(size game.Size, k int) [][2]int16 {
	var all [][2]int16
	each(size, k, func(at func(i int) int16) { all = append(all, [2]int16{at(-1), at(k)}) })
	return all
}

// each calls show for each line of k cells. at returns the line's cell i, from 0 to k-1. For other i it returns the
// cells before and after the line, or -1 off the board.
func each(size game.Size, k int, show func(at func(i int) int16)) {
	for cell := range size.Cells() {
		for _, step := range Directions {
			at := func(i int) int16 { return int16(size.Step(cell, i*step.Rows, i*step.Columns)) }
			if at(k-1) < 0 {
				continue
			}
			show(at)
			if k == 1 {
				break // all directions give the same line
			}
		}
	}
}

// heaviest is the number of stones beyond which a line's weight stays the same. It keeps the weight of all lines of a
// 20x20 board below 1<<27.
const heaviest = 8

// Open returns the summed weights of the lines that hold stones of own and none of opponent. A line with n stones
// weighs 4 to the power of min(n, 8).
//
// A line has k cells, stride apart. starts holds the first cells of the lines, all of them below 64. Cell i of own and
// opponent is bit i%64 of word i/64. Both must be at least one word longer than the lines need.
func Open(starts uint64, own, opponent []uint64, stride, k int) int {
	// lines[n] holds the first cells of the lines with n stones so far, the last set also those with more.
	lines := [heaviest + 1]uint64{starts}
	for i := range k {
		stone, closed := ahead(own, i*stride), ahead(opponent, i*stride)
		if i >= heaviest-1 {
			lines[heaviest] = (lines[heaviest] | lines[heaviest-1]&stone) &^ closed
		}
		for n := min(i+1, heaviest-1); n > 0; n-- {
			lines[n] = (lines[n]&^stone | lines[n-1]&stone) &^ closed
		}
		lines[0] &^= stone | closed
	}
	weight := 0
	for n, set := range lines[1 : min(k, heaviest)+1] {
		weight += bits.OnesCount64(set) << (2 * (n + 1))
	}
	return weight
}

// ahead returns the 64 bits of a set from the given bit on.
func ahead(set []uint64, bit int) uint64 {
	word, shift := bit>>6, bit&63
	return set[word]>>shift | set[word+1]<<(64-shift)
}

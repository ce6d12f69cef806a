package cli

import (
	"fmt"
	"io"
	"strings"
)

type column struct {
	name  string
	width int
	drop  int // columns with the highest number are dropped first on a narrow terminal; 0: never
}

// table writes rows as their data arrive, so its columns have fixed widths.
type table struct {
	out     io.Writer
	columns []column
	dropped []bool // by column
}

// newTable returns a table that fits the terminal. It has all columns if out is not a terminal.
func newTable(out io.Writer, columns ...column) *table {
	for i, c := range columns {
		columns[i].width = max(c.width, len(c.name))
	}
	t := &table{out, columns, make([]bool, len(columns))}
	if isTerminal(out) {
		t.fit(width(out))
	}
	return t
}

// fit drops columns until rows have at most the given number of characters.
func (t *table) fit(limit int) {
	used, last := -1, 0
	for _, c := range t.columns {
		used += 1 + c.width
		last = max(last, c.drop)
	}
	for ; last > 0; last-- {
		for i, c := range t.columns {
			if c.drop == last && used > limit {
				t.dropped[i] = true
				used -= 1 + c.width
			}
		}
	}
}

func (t *table) header() error {
	var names []string
	for _, c := range t.columns {
		names = append(names, c.name)
	}
	return t.row(names...)
}

func (t *table) row(cells ...string) error {
	var shown []string
	for i, c := range t.columns {
		if !t.dropped[i] {
			shown = append(shown, fmt.Sprintf("%*s", c.width, cells[i]))
		}
	}
	_, err := fmt.Fprintln(t.out, strings.TrimRight(strings.Join(shown, " "), " "))
	return err
}

package curves

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"time"

	"tengen/train/rundir"
)

// WriteCSV writes a table: a row of names, then one for each line of metrics. The first column is the time, all others have the
// names of Values and their order. What a line does not have is empty.
func WriteCSV(w io.Writer, all []rundir.Metrics) error {
	var names []string
	rows := make([]map[string]float64, len(all))
	for i, m := range all {
		values := Values(m)
		names = merge(names, values)
		rows[i] = map[string]float64{}
		for _, v := range values {
			rows[i][v.Name()] = v.Number
		}
	}
	out := csv.NewWriter(w)
	out.Write(append([]string{"time"}, names...)) // Error tells
	for i, m := range all {
		row := []string{""}
		if !m.Time.IsZero() {
			row[0] = m.Time.Format(time.RFC3339Nano)
		}
		for _, name := range names {
			cell := ""
			if x, ok := rows[i][name]; ok {
				cell = strconv.FormatFloat(x, 'g', -1, 64)
			}
			row = append(row, cell)
		}
		out.Write(row)
	}
	out.Flush()
	return out.Error()
}

// merge puts names that are new behind the one that comes before them in their own line.
func merge(names []string, values []Value) []string {
	next := 0
	for _, v := range values {
		if i := slices.Index(names, v.Name()); i >= 0 {
			next = i + 1
			continue
		}
		names = slices.Insert(names, next, v.Name())
		next++
	}
	return names
}

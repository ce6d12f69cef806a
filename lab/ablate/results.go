package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"tengen/eval/grade"
	"tengen/eval/rating"
)

type row struct {
	variant
	seed uint64
	*record
}

// writeTables returns Markdown: the command, a table of all rows, and each exam's table by cell, with 95 % intervals.
func writeTables(o options, rows []row) string {
	var b strings.Builder
	searches := append(slices.Clone(o.simulations), 0)
	fmt.Fprintf(&b, "%g processor seconds of training each, by\n\n    %s\n\n", o.budget.Seconds(), o.command())
	header := []string{"variant", "settings", "seed", "iterations", "games", "positions", "processor seconds"}
	for _, n := range searches {
		header = append(header, "blunder rate, "+searchName(n))
	}
	writeHeader(&b, append(header, "score against base", "Elo", "SPRT "+o.match.SPRT)...)
	for _, r := range rows {
		cells := []string{r.Name, code(r.Set), fmt.Sprint(r.seed), fmt.Sprint(r.Spent.Iterations),
			fmt.Sprint(r.Spent.Games), fmt.Sprint(r.Spent.Positions), fmt.Sprintf("%.0f", r.Spent.CPUSeconds)}
		for _, n := range searches {
			overall := "–"
			if m := r.marksOf(o.bookExam, n); m != nil {
				overall = m.all().String()
			}
			cells = append(cells, overall)
		}
		writeRow(&b, append(cells, matchCells(r.Match)...)...)
	}
	for _, n := range searches {
		writeCells(&b, o.bookExam, n, rows)
	}
	return b.String()
}

func writeCells(b *strings.Builder, bookExam, simulations int, rows []row) {
	begun := false
	for _, r := range rows {
		m := r.marksOf(bookExam, simulations)
		if m == nil {
			continue
		}
		if !begun {
			begun = true
			header := []string{"blunder rate, " + searchName(simulations), "seed"}
			for _, c := range m.Cells {
				header = append(header, c.Name)
			}
			b.WriteByte('\n')
			writeHeader(b, header...)
		}
		cells := []string{r.Name, fmt.Sprint(r.seed)}
		for _, c := range m.Cells {
			cells = append(cells, grade.Share{Count: c.Blunders, Of: c.Of}.String())
		}
		writeRow(b, cells...)
	}
}

func writeHeader(b *strings.Builder, cells ...string) {
	writeRow(b, cells...)
	writeRow(b, slices.Repeat([]string{"---"}, len(cells))...)
}

func writeRow(b *strings.Builder, cells ...string) {
	fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
}

func searchName(simulations int) string {
	if simulations == 0 {
		return "bare network"
	}
	return fmt.Sprintf("%d simulations", simulations)
}

func code(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	return "`" + strings.Join(texts, "`, `") + "`"
}

func matchCells(m *matchResult) []string {
	if m == nil {
		return []string{"–", "–", "–"}
	}
	score := m.Tally.ScoreInterval()
	elo := func(score float64) float64 { return math.Round(rating.Elo(score)) + 0 } // no -0
	difference := fmt.Sprintf("%+.0f (%+.0f – %+.0f)", elo(score.Share), elo(score.Low), elo(score.High))
	return []string{fmt.Sprintf("%v of %d", score, m.Tally.Games()), difference, cmp.Or(string(m.Verdict), "–")}
}

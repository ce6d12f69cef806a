package report

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"tengen/internal/chart"
)

// Limits of what is drawn and listed: more is thinned out evenly.
const (
	mostPoints = 400
	mostRows   = 30
)

// drawer draws the charts of a report.
type drawer struct {
	runs  []*run
	axis  string
	drawn int // charts so far
}

// figure is a chart with its legend and table. With several runs it has a panel for each line.
type figure struct {
	Title, Unit string
	Panels      []panel
	Wide        bool // several panels
}

type panel struct {
	Name   string // of the line, where there are several panels
	SVG    template.HTML
	Legend []entry // nothing for a single series
	Table  table
}

type entry struct {
	Swatch template.HTML
	Name   string
}

type table struct {
	Caption string
	Head    []string
	Rows    [][]string // as many cells as the head; "" where there is nothing
	Thinned bool       // not all rows are here
}

// figure draws some curves; ok is false if no run has any point of them.
func (d *drawer) figure(c curves) (f figure, ok bool, err error) {
	f = figure{Title: c.title, Unit: c.unit}
	var pictures []chart.Line
	if len(d.runs) == 1 {
		pictures = append(pictures, d.ofRun(c, d.runs[0]))
	} else {
		for _, l := range c.lines {
			pictures = append(pictures, d.ofLine(c, l))
		}
	}
	for i, p := range pictures {
		if !slices.ContainsFunc(p.Series, func(s chart.Series) bool { return len(s.X) > 0 }) {
			continue
		}
		one, err := d.panel(p, c.unit)
		if err != nil {
			return f, false, err
		}
		if len(c.lines) > 1 && len(d.runs) > 1 {
			one.Name = c.lines[i].name
		}
		f.Panels = append(f.Panels, one)
	}
	f.Wide = len(f.Panels) > 1
	return f, len(f.Panels) > 0, nil
}

// ofRun shows the lines of one run.
func (d *drawer) ofRun(c curves, r *run) chart.Line {
	p := chart.Line{Title: c.title, XLabel: d.axis, YLabel: c.unit, FromZero: c.fromZero}
	for _, l := range c.lines {
		p.Series = append(p.Series, series(l, r, l.name))
	}
	return p
}

// ofLine shows one line of all runs.
func (d *drawer) ofLine(c curves, l line) chart.Line {
	p := chart.Line{Title: c.title, XLabel: d.axis, YLabel: c.unit, FromZero: c.fromZero}
	if len(c.lines) > 1 {
		p.Title += ": " + l.name
	}
	for _, r := range d.runs {
		p.Series = append(p.Series, series(l, r, r.name))
	}
	return p
}

// series are the points of a line in a run, which may be none.
func series(l line, r *run, name string) chart.Series {
	s := chart.Series{Name: name}
	for i, m := range r.metrics {
		p, ok := l.at(m)
		if !ok {
			continue
		}
		s.X, s.Y = append(s.X, r.x[i]), append(s.Y, p.y)
		if p.interval {
			s.Low, s.High = append(s.Low, p.low), append(s.High, p.high)
		}
	}
	keep := spread(len(s.X), mostPoints)
	s.X, s.Y = pick(s.X, keep), pick(s.Y, keep)
	if len(s.Low) > 0 {
		s.Low, s.High = pick(s.Low, keep), pick(s.High, keep)
	}
	return s
}

// spread is at most n of the numbers 0 to count-1, evenly spread, the last among them.
func spread(count, n int) []int {
	var list []int
	for i := range min(count, n) {
		list = append(list, count-1-(min(count, n)-1-i)*(count-1)/max(1, min(count, n)-1))
	}
	return list
}

func pick[T any](values []T, places []int) []T {
	some := make([]T, len(places))
	for i, p := range places {
		some[i] = values[p]
	}
	return some
}

// panel draws a chart.
func (d *drawer) panel(l chart.Line, unit string) (p panel, err error) {
	d.drawn++
	var svg strings.Builder
	if err := l.Inline(&svg, fmt.Sprintf("chart%d", d.drawn)); err != nil {
		return p, err
	}
	p.SVG = template.HTML(svg.String()) // escaped by package chart
	for i, s := range l.Series {
		if len(l.Series) > 1 && len(s.X) > 0 {
			p.Legend = append(p.Legend, entry{template.HTML(chart.Swatch(i)), s.Name})
		}
	}
	p.Table = newTable(l, unit)
	return p, nil
}

// newTable lists the points of a chart, a row for each place on the axis and a column for each series.
func newTable(l chart.Line, unit string) table {
	t := table{Caption: l.Title, Head: []string{l.XLabel}}
	if unit != "" {
		t.Caption += ", " + unit
	}
	var places []float64
	for _, s := range l.Series {
		t.Head = append(t.Head, s.Name)
		places = append(places, s.X...)
	}
	slices.Sort(places)
	places = slices.Compact(places)
	keep := spread(len(places), mostRows)
	t.Thinned = len(keep) < len(places)
	for _, x := range pick(places, keep) {
		row := []string{chart.Number(x)}
		for _, s := range l.Series {
			row = append(row, cell(s, x))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// cell is the value of a series at a place, with its interval.
func cell(s chart.Series, x float64) string {
	i, ok := slices.BinarySearch(s.X, x)
	switch {
	case !ok:
		return ""
	case len(s.Low) == 0:
		return chart.Number(s.Y[i])
	}
	return fmt.Sprintf("%s (%s to %s)", chart.Number(s.Y[i]), chart.Number(s.Low[i]), chart.Number(s.High[i]))
}

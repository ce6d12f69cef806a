// Package report writes what training runs have measured into one HTML file to look at and to send: no script, nothing from
// elsewhere, light or dark as the reader's system is. Every chart has its numbers in a table beside it.
//
// The file depends on the runs' configurations and metrics alone: the same runs give the same bytes. Of the configuration it leaves
// out the section "cluster", which has addresses and the places of secrets.
package report

import (
	_ "embed"
	"html/template"
	"io"
	"strings"

	"tengen/engine"
	"tengen/internal/atomicfile"
	"tengen/internal/chart"
	"tengen/train/rundir"
)

// Axes are what curves can be drawn over.
var Axes = []string{"games", "positions", "steps", "hours"}

// Options say which runs a report is about.
type Options struct {
	Dirs []string // run directories, at least one
	Axis string   // one of Axes
}

// run is a run of the report.
type run struct {
	name    string
	config  engine.Config
	metrics []rundir.Metrics // at least one line
	x       []float64        // of each line
}

// Write writes the report into a file. The runs may go on meanwhile.
func Write(file string, o Options) error {
	p, err := newPage(o)
	if err != nil {
		return err
	}
	return atomicfile.Write(file, 0o644, func(w io.Writer) error { return pageTemplate.Execute(w, p) })
}

// open reads a run, which is called by a name.
func open(dir, name, axis string) (*run, error) {
	cfg, _, err := engine.ReadConfig(dir)
	if err != nil {
		return nil, err
	}
	r := &run{name: name, config: cfg}
	if r.metrics, err = rundir.LoadMetrics(dir); err != nil {
		return nil, err
	}
	hours := 0.0
	for i, m := range r.metrics {
		spent, _ := rundir.Spent(r.metrics[i : i+1])
		hours += spent.Total / 3600
		r.x = append(r.x, map[string]float64{
			"games": float64(m.Games), "positions": float64(m.Positions), "steps": float64(m.Step), "hours": hours,
		}[axis])
	}
	return r, nil
}

// page is what the template shows.
type page struct {
	Title    string
	Style    template.CSS
	Runs     []card
	Sections []section
	Changed  settings // what differs from the defaults
	All      settings
}

// section is a group of charts.
type section struct {
	Title   string
	Figures []figure
}

func newPage(o Options) (*page, error) {
	var runs []*run
	names := engine.RunNames(o.Dirs)
	for i, dir := range o.Dirs {
		r, err := open(dir, names[i], o.Axis)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	p := &page{Style: template.CSS(chart.Style + pageStyle)}
	for i, r := range runs {
		p.Runs = append(p.Runs, newCard(r, i, len(runs) > 1))
	}
	p.Title = strings.Join(names, ", ")
	drawer := &drawer{runs: runs, axis: o.Axis}
	for _, group := range groups(runs) {
		s := section{Title: group.title}
		for _, c := range group.curves {
			f, ok, err := drawer.figure(c)
			if err != nil {
				return nil, err
			}
			if ok {
				s.Figures = append(s.Figures, f)
			}
		}
		if len(s.Figures) > 0 {
			p.Sections = append(p.Sections, s)
		}
	}
	p.Changed, p.All = compareSettings(runs)
	return p, nil
}

//go:embed page.html
var pageText string

//go:embed page.css
var pageStyle string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

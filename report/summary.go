package report

import (
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"
	"time"

	"tengen/engine"
	"tengen/internal/chart"
	"tengen/train/rundir"
)

// card sums up a run.
type card struct {
	Name   string
	Swatch template.HTML // of its lines, where there are several runs; the only one is in the title
	About  string
	Facts  []fact
	Parts  []part // of its time
}

type fact struct{ Name, Value, Note string }

// part is what a share of the time was spent on.
type part struct {
	Name    string
	Class   template.HTMLAttr
	Percent string
	Width   template.HTMLAttr
	Time    string
}

func newCard(r *run, i int, several bool) card {
	last := r.metrics[len(r.metrics)-1]
	c := card{Name: r.name, About: fmt.Sprintf("%s, %s, %s a move, seed %d", r.config.Game, r.config.Network(),
		engine.Plural(r.config.Search.Simulations, "simulation"), r.config.Seed)}
	if several {
		c.Swatch = template.HTML(chart.Swatch(i))
	}
	spent, processor := rundir.Spent(r.metrics)
	took := fact{"Time", elapsed(spent.Total), ""}
	if processor > 0 {
		took.Note = fmt.Sprintf("%.0f processor seconds", processor)
	}
	c.Facts = append(c.Facts,
		fact{"Iterations", grouped(last.Iteration), fmt.Sprintf("of %s", grouped(r.config.Train.Iterations))},
		fact{"Games", grouped(last.Games), grouped(last.Positions) + " positions"},
		took)
	c.Facts = append(c.Facts, strength(r)...)
	c.Parts = parts(spent)
	return c
}

// strength is what the newest evaluations of a run have found.
func strength(r *run) (facts []fact) {
	for _, m := range slices.Backward(r.metrics) {
		if m.Evaluation == nil {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(m.Evaluation)) {
			t := m.Evaluation[name]
			if rundir.IsModelName(name) || t.Games() == 0 {
				continue
			}
			low, high := t.ScoreInterval()
			facts = append(facts, fact{"Against " + name, fmt.Sprintf("%.1f %%", 100*t.Score()), fmt.Sprintf("%.1f to %.1f", 100*low, 100*high)})
		}
		if x := m.Rating; x != nil {
			facts = append(facts, fact{"Elo", fmt.Sprintf("%+.0f", x.Elo), fmt.Sprintf("%.0f to %.0f", x.Low, x.High)})
		}
		if g := m.Grade; g != nil {
			facts = append(facts, fact{"Best moves", fmt.Sprintf("%.1f %%", 100*g.Search.Optimal), fmt.Sprintf("bare network %.1f %%", 100*g.Policy.Optimal)})
		}
		break
	}
	return facts
}

// parts says where the time went.
func parts(spent rundir.Seconds) (list []part) {
	for i, p := range []struct {
		name    string
		seconds float64
	}{
		{"self-play", spent.SelfPlay}, {"waiting for workers", spent.Wait}, {"training", spent.Train}, {"evaluation", spent.Evaluate},
		{"other", spent.Other()}, {"verifying games", spent.Verify},
	} {
		if p.seconds == 0 {
			continue
		}
		percent := 100 * p.seconds / spent.Total
		list = append(list, part{
			Name: p.name, Class: template.HTMLAttr(fmt.Sprintf(`class="p%d"`, i)), Percent: fmt.Sprintf("%.0f %%", percent),
			Width: template.HTMLAttr(fmt.Sprintf(`width="%.2f%%"`, percent)), Time: elapsed(p.seconds),
		})
	}
	return list
}

func elapsed(seconds float64) string {
	return engine.Elapsed(time.Duration(seconds * float64(time.Second)))
}

// grouped writes a whole number with commas between its thousands.
func grouped(n any) string { return chart.Grouped(fmt.Sprint(n)) }

// settings is a table of the configuration, a column for each run.
type settings struct {
	Runs []string
	Rows []settingRow
}

type settingRow struct {
	Key, Default string
	Values       []string
	Differs      bool // among the runs
}

// compareSettings lists the settings of all runs, apart from the section "cluster": those that differ from the defaults in any
// run, and all.
func compareSettings(runs []*run) (changed, all settings) {
	values := make([][]engine.Setting, len(runs))
	for i, r := range runs {
		all.Runs, values[i] = append(all.Runs, r.name), r.config.Settings()
	}
	changed.Runs = all.Runs
	for i, d := range engine.DefaultConfig().Settings() {
		if strings.HasPrefix(d.Key, "cluster.") {
			continue
		}
		row, other := settingRow{Key: d.Key, Default: d.Value}, false
		for _, v := range values {
			value := v[i].Value
			row.Values = append(row.Values, value)
			other = other || value != d.Value
			row.Differs = row.Differs || value != row.Values[0]
		}
		all.Rows = append(all.Rows, row)
		if other {
			changed.Rows = append(changed.Rows, row)
		}
	}
	return changed, all
}

//go:build unix

package main

import (
	"context"
	"log"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tengen/eval/rating"
	"tengen/train/checkpoint"
)

// tinyOptions train the base and one variant within a fraction of a second.
func tinyOptions(t *testing.T, args ...string) options {
	t.Helper()
	table := writeTable(t, "base: tiny.yaml\nvariants: [{name: mixed, set: [replay.value_mix=0.4]}]\n")
	o, err := parse(append([]string{"--table", table, "--out", filepath.Join(t.TempDir(), "out"), "--budget", "100ms",
		"--simulations", "8", "--games", "10", "--sprt", ""}, args...))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// tabled is ablate with the table that o names.
func tabled(ctx context.Context, t *testing.T, o options) error {
	t.Helper()
	table, err := readTable(o.table, o.only)
	if err != nil {
		t.Fatal(err)
	}
	return ablate(ctx, o, table)
}

// What was stopped goes on, what is done is not done again, and what is asked for besides is added.
func TestGoesOn(t *testing.T) {
	o := tinyOptions(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := tabled(ctx, t, o); err == nil || !strings.Contains(err.Error(), "the same command continues") {
		t.Errorf("error %v", err)
	}
	if err := tabled(t.Context(), t, o); err != nil {
		t.Fatal(err)
	}
	first := read(t, o.results)
	if n := strings.Count(first, "| base | "); n != 1 {
		t.Errorf("%d rows of the base in\n%s", n, first)
	}
	if !strings.Contains(first, " of 10 |") {
		t.Errorf("no match of 10 games in\n%s", first)
	}
	for _, name := range []string{"base-1", "mixed-1"} {
		rec, err := o.load(name)
		if err != nil || rec.Spent == nil {
			t.Fatalf("%s: %+v, %v", name, rec, err)
		}
		if err := os.RemoveAll(o.runDir(name, rec)); err != nil { // only what is on record can answer now
			t.Fatal(err)
		}
	}
	if err := tabled(t.Context(), t, o); err != nil {
		t.Fatal(err)
	}
	if second := read(t, o.results); second != first {
		t.Errorf("the second time\n%s\nthe first time\n%s", second, first)
	}
	o.match.Games = 12
	if err := tabled(t.Context(), t, o); err == nil {
		t.Error("a match of 12 games was played without the models")
	}
}

// A continued match has the result of an uninterrupted one.
func TestMatchGoesOn(t *testing.T) {
	o := tinyOptions(t)
	play := func(games int, change func(*record)) rating.Tally {
		o.match.Games = games
		rec, err := o.load("mixed-1")
		if err == nil && rec != nil {
			change(rec)
			err = o.save("mixed-1", rec)
		}
		if err == nil {
			err = tabled(t.Context(), t, o)
		}
		if err == nil {
			rec, err = o.load("mixed-1")
		}
		if err != nil || rec.Match.Tally.Games() != games {
			t.Fatalf("%+v, %v; want %d games", rec, err, games)
		}
		return rec.Match.Tally
	}
	play(4, nil)
	parts := play(10, func(rec *record) { rec.Match.Question.Games = 10 })
	if whole := play(10, func(rec *record) { rec.Match = nil }); parts != whole {
		t.Errorf("in two parts %v, at once %v", parts, whole)
	}
}

// A run stops close to its budget, before or after the planned last iteration, even if it was interrupted.
func TestEndsNearBudget(t *testing.T) {
	o := tinyOptions(t, "--budget", "1s")
	table, err := readTable(o.table, o.only)
	if err != nil {
		t.Fatal(err)
	}
	r := &runner{options: o, log: log.New(t.Output(), "", 0)}
	for _, plan := range []int{1, 100_000} {
		cfg, err := table.config(base, 1)
		if err != nil {
			t.Fatal(err)
		}
		cfg.Train.Iterations = plan
		dir := filepath.Join(o.out, "run")
		var all []checkpoint.Metrics
		for range 2 { // the second continues what is complete
			before := len(all)
			if all, err = r.attempt(t.Context(), cfg, dir, false); err != nil {
				t.Fatal(err)
			}
			if left(all, o.budget.Seconds()) > 0 || before > 0 && len(all) != before {
				t.Errorf("plan %d: %d iterations, before %d; %d are left", plan, len(all), before, left(all, o.budget.Seconds()))
			}
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// An exam from the opening book has as many positions as asked for, and those on record stay.
func TestBookExam(t *testing.T) {
	table := writeTable(t, "base: tiny.yaml\nvariants: [{name: four, set: [game=connect4, train.games_per_iteration=2]}]\n")
	o := tinyOptions(t, "--table", table, "--games", "0", "--simulations", "2")
	for _, o.bookExam = range []int{20, 30, 20} {
		if err := tabled(t.Context(), t, o); err != nil {
			t.Fatal(err)
		}
	}
	rec, err := o.load("four-1")
	if err != nil || len(rec.Exams) != 4 {
		t.Fatalf("%+v, %v; want two exams with search and without", rec.Exams, err)
	}
	for i, m := range rec.Exams {
		if want := 20 + i/2*10; len(m.Cells) != 1 || m.Cells[0].Name != "opening book" || m.Cells[0].Of != want {
			t.Errorf("exam %d: %+v; want %d positions", i, m, want)
		}
	}
}

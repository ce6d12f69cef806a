package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tengen/run/games"
)

func init() { games.Register() }

// The table that comes with the project can be read, and all of its variants are configurations.
func TestTableOfTheProject(t *testing.T) {
	table, err := readTable("table.yaml", nil)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := table.config(base, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range table.Variants {
		c, err := table.config(v, 1)
		if err != nil {
			t.Fatal(err)
		}
		if string(c.YAML()) == string(plain.YAML()) {
			t.Errorf("variant %s is the base", v.Name)
		}
	}
}

func TestTableErrors(t *testing.T) {
	for _, test := range []struct{ table, only, part string }{
		{"base: none.yaml\n", "", "none.yaml"},
		{"base: tiny.yaml\nvariant: []\n", "", "field variant not found"},
		{"base: tiny.yaml\nvariants: [{name: base}]\n", "", "not base"},
		{"base: tiny.yaml\nvariants: [{name: ../up}]\n", "", "lower-case letters"},
		{"base: tiny.yaml\nvariants: [{name: a}, {name: a}]\n", "", "unique"},
		{"base: tiny.yaml\nvariants: [{name: a, set: [train.averages=0]}]\n", "", `unknown key "train.averages"`},
		{"base: tiny.yaml\nvariants: [{name: a, set: [train.average=2]}]\n", "", "train.average is 2"},
		{"base: tiny.yaml\nvariants: [{name: a, set: [seed]}]\n", "", "write key=value"},
		{"base: tiny.yaml\n", "b", `no variant "b"`},
	} {
		var only []string
		if test.only != "" {
			only = []string{test.only}
		}
		_, err := readTable(writeTable(t, test.table), only)
		if err == nil || !strings.Contains(err.Error(), test.part) {
			t.Errorf("%q: error %v, want one that says %s", test.table, err, test.part)
		}
	}
}

// writeTable writes a table and the tiny base that it may name.
func writeTable(t *testing.T, text string) (file string) {
	t.Helper()
	dir := t.TempDir()
	const tiny = `game: tictactoe
net: {blocks: 1, channels: 4, policy_channels: 2, value_channels: 1, value_hidden: 8}
search: {simulations: 8}
train: {iterations: 2, games_per_iteration: 8, batch_size: 16, evaluate_every: 0}
`
	for name, content := range map[string]string{"tiny.yaml": tiny, "table.yaml": text} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "table.yaml")
}

// A record is not taken for that of another budget or configuration.
func TestOtherConfiguration(t *testing.T) {
	table, err := readTable(writeTable(t, "base: tiny.yaml\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := table.config(base, 1)
	if err != nil {
		t.Fatal(err)
	}
	rec := &record{Config: string(cfg.YAML()), Budget: 0.2}
	cfg.Train.Iterations++
	if err := rec.check(cfg, 0.2); err != nil {
		t.Errorf("another number of iterations: %v", err)
	}
	if err := rec.check(cfg, 0.3); err == nil {
		t.Error("another budget is taken")
	}
	cfg.Train.Passes++
	if err := rec.check(cfg, 0.2); err == nil {
		t.Error("another configuration is taken")
	}
}

func TestParse(t *testing.T) {
	o, err := parse([]string{"--out", "here", "--seeds", "1,7", "--simulations", "100,600", "--only", "a,b"})
	if err != nil {
		t.Fatal(err)
	}
	if len(o.seeds) != 2 || o.seeds[1] != 7 || o.match.Simulations != 100 || o.budget != 8*time.Minute || o.results != filepath.Join("here", "results.md") {
		t.Errorf("%+v", o)
	}
	for _, args := range [][]string{
		{}, {"--out", "x", "--seeds", "-1"}, {"--out", "x", "--budget", "0s"}, {"--out", "x", "--simulations", "0"},
		{"--out", "x", "--sprt", "20,0"}, {"--out", "x", "--games", "7"}, {"--out", "x", "--book-exam", "-1"}, {"--out", "x", "more"},
	} {
		if _, err := parse(args); err == nil {
			t.Errorf("%q is taken", args)
		}
	}
}

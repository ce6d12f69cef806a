// Command ablate measures the value of each learning technique; see docs/techniques.md. It trains a base configuration
// and its variants for the same processor time, grades them by the game's exam, plays each variant against the base,
// and writes tables of the results:
//
//	go run -C lab ./ablate --budget 8m --out /path/to/DIR
//
// It logs failed trials and continues with the next. The same command resumes from the files in DIR.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"tengen/eval/rating"
	"tengen/run/games"
)

type options struct {
	table, out, results string
	budget              time.Duration // processor time of each training run
	seeds               []uint64
	only                []string // variants to train besides the base; nil: all
	simulations         []int    // for exams; matches use the first
	bookExam            int      // positions of the exam, see grade.BookExam; 0: the exam's half for development
	match               matchConfig
	sprt                rating.SPRT // match.SPRT, parsed
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	games.Register()
	var t *table
	o, err := parse(os.Args[1:])
	if err == nil {
		t, err = readTable(o.table, o.only)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "ablate:", err)
		os.Exit(2)
	}
	if err := ablate(ctx, o, t); err != nil {
		fmt.Fprintln(os.Stderr, "ablate:", err)
		os.Exit(1)
	}
}

func parse(args []string) (o options, err error) {
	var seeds, only, simulations string
	flags := flag.NewFlagSet("ablate", flag.ExitOnError)
	flags.StringVar(&o.table, "table", "ablate/table.yaml", "`file` of the base and the variants")
	flags.StringVar(&o.out, "out", "", "`folder` for the runs and their results")
	flags.StringVar(&o.results, "results", "", "`file` for the tables (default results.md in the folder)")
	flags.DurationVar(&o.budget, "budget", 8*time.Minute, "processor time of each training run, on all cores together")
	flags.StringVar(&seeds, "seeds", "1", "`seeds`, separated by commas; each trains all variants")
	flags.StringVar(&only, "only", "", "`names` of the variants besides the base, separated by commas (default all)")
	flags.StringVar(&simulations, "simulations", "100", "`simulations` per move in exams, separated by commas; matches use the first")
	flags.IntVar(&o.bookExam, "book-exam", 0, "`number` of hard positions from the opening book, in place of the exam")
	flags.IntVar(&o.match.Games, "games", 1000, "maximum number of games in a match; 0: no matches")
	flags.StringVar(&o.match.SPRT, "sprt", "-20,20", "`ELO0,ELO1`: stop a match once it decides between these Elo differences; empty: play all games")
	flags.IntVar(&o.match.OpeningPlies, "opening-plies", 6, "random moves at the start of a match's games")
	flags.Parse(args) // exits on an error
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unknown argument %q", flags.Arg(0))
	}
	if o.out == "" {
		return o, fmt.Errorf("--out is missing: name a folder for the runs")
	}
	if o.budget <= 0 {
		return o, fmt.Errorf("--budget is %v, but must be above 0", o.budget)
	}
	if o.results == "" {
		o.results = filepath.Join(o.out, "results.md")
	}
	for _, text := range strings.Split(seeds, ",") {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return o, fmt.Errorf("--seeds: %q must be a whole number of 0 or more", text)
		}
		o.seeds = append(o.seeds, seed)
	}
	for _, text := range strings.Split(simulations, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return o, fmt.Errorf("--simulations: %q must be a whole number of 1 or more", text)
		}
		o.simulations = append(o.simulations, n)
	}
	o.match.Simulations = o.simulations[0]
	if o.bookExam < 0 {
		return o, fmt.Errorf("--book-exam is %d, but must be 0 or more", o.bookExam)
	}
	if only != "" {
		o.only = strings.Split(only, ",")
	}
	if o.match.Games < 0 || o.match.Games%2 != 0 {
		return o, fmt.Errorf("--games is %d, but must be even and 0 or more: openings are played twice, with colours swapped", o.match.Games)
	}
	const maxPlies = 1000
	if o.match.OpeningPlies < 0 || o.match.OpeningPlies > maxPlies {
		return o, fmt.Errorf("--opening-plies is %d, but must be 0 to %d", o.match.OpeningPlies, maxPlies)
	}
	if o.match.SPRT != "" {
		if o.sprt, err = rating.ParseSPRT(o.match.SPRT); err != nil {
			return o, fmt.Errorf("--sprt: %w", err)
		}
	}
	return o, nil
}

func ablate(ctx context.Context, o options, t *table) error {
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return err
	}
	r := runner{options: o, log: log.New(os.Stderr, "", log.Ltime)}
	var failed []string
	for _, seed := range o.seeds {
		for _, v := range t.all() {
			err := r.try(ctx, t, v, seed)
			if ctx.Err() != nil {
				return fmt.Errorf("stopped: the same command continues")
			}
			if err != nil {
				name := trialName(v.Name, seed)
				r.log.Printf("%s: %v", name, err)
				failed = append(failed, name)
			}
		}
	}
	if len(failed) > 0 {
		return fmt.Errorf("%s failed; the same command tries again", strings.Join(failed, ", "))
	}
	fmt.Print(r.tables(t))
	return nil
}

func trialName(variant string, seed uint64) string { return fmt.Sprintf("%s-%d", variant, seed) }

// command returns the command that reproduces the tables.
func (o options) command() string {
	commas := func(list any) string { return strings.ReplaceAll(strings.Trim(fmt.Sprint(list), "[]"), " ", ",") }
	text := fmt.Sprintf("go run -C lab ./ablate --out /path/to/DIR --budget %v --seeds %s --simulations %s --games %d --sprt=%s --opening-plies %d",
		o.budget, commas(o.seeds), commas(o.simulations), o.match.Games, o.match.SPRT, o.match.OpeningPlies)
	if o.bookExam > 0 {
		text += fmt.Sprintf(" --book-exam %d", o.bookExam)
	}
	if o.only != nil {
		text += " --only " + commas(o.only)
	}
	return text
}

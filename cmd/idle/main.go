// Command idle predicts how long self-play takes for several core counts, and what share of that time the cores idle.
// It predicts from a run's games and the speed of evaluations. docs/performance.md explains how. For example:
//
//	go run ./cmd/idle --cores 2,8,16 --one 35us --full 820us DIR
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"tengen/cmd/cli"
	"tengen/replay"
	"tengen/run"
	"tengen/selfplay"
)

func main() {
	cli.Register()
	cores := flag.String("cores", "1,2,4,8,16", "`numbers` of cores, one worker on each")
	one := flag.Duration("one", 35*time.Microsecond, "time that a core takes to evaluate one position")
	full := flag.Duration("full", 820*time.Microsecond, "time that a core takes to evaluate selfplay.games_per_worker positions")
	games := flag.Int("games", 0, "games in lockstep on each core (default selfplay.games_per_worker)")
	flag.Parse()
	if err := predict(*cores, *one, *full, *games, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "idle:", err)
		os.Exit(1)
	}
}

func predict(cores string, one, full time.Duration, inLockstep int, args []string) error {
	if len(args) != 1 || one <= 0 || full < one {
		return fmt.Errorf("--one is %v, --full is %v, arguments are %q: want 0 < --one <= --full and one run directory",
			one, full, args)
	}
	iterations, cfg, err := recorded(args[0])
	if err != nil {
		return err
	}
	batch := cfg.Selfplay.GamesPerWorker
	s := selfplay.Schedule{GamesPerWorker: batch}
	s.Position = (full - one).Seconds() / float64(max(1, batch-1))
	s.Batch = one.Seconds() - s.Position
	if inLockstep > 0 {
		s.GamesPerWorker = inLockstep
	}
	fmt.Println("cores  seconds/iteration  idle")
	for _, text := range strings.Split(cores, ",") {
		if s.Workers, err = strconv.Atoi(text); err != nil || s.Workers < 1 {
			return fmt.Errorf("--cores: %q is not a number of cores", text)
		}
		seconds, waited := 0.0, 0.0
		for _, simulations := range iterations {
			took, idle := s.Predict(simulations)
			seconds, waited = seconds+took, waited+idle*took
		}
		fmt.Printf("%5d  %17.3f  %4.1f %%\n", s.Workers, seconds/float64(len(iterations)), 100*waited/seconds)
	}
	return nil
}

// recorded returns the simulations of each game, by iteration, and the run's configuration.
func recorded(dir string) (iterations [][]int, cfg run.Config, err error) {
	r, err := run.OpenRun(context.Background(), dir)
	if err != nil {
		return nil, cfg, err
	}
	defer r.Close()
	err = r.Read(context.Background(), 0, func(e replay.Entry) error {
		if e.Err != nil {
			return e.Err
		}
		if e.Number%uint64(r.Config.Train.GamesPerIteration) == 0 {
			iterations = append(iterations, nil)
		}
		if len(iterations) == 0 { // the iteration's first games have been removed
			return nil
		}
		simulations := 1 // Predict needs at least 1
		for _, n := range e.Game.Simulations {
			simulations += int(n)
		}
		last := len(iterations) - 1
		iterations[last] = append(iterations[last], simulations)
		return nil
	})
	if err == nil && len(iterations) == 0 {
		err = fmt.Errorf("no iteration in %s still has its first game", dir)
	}
	return iterations, r.Config, err
}

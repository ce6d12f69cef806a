package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tengen/engine"
	"tengen/engine/transcript"
	"tengen/game"
	"tengen/game/connect4"
	"tengen/internal/atomicfile"
	"tengen/internal/printable"
	connect4solver "tengen/solver/connect4"
)

type solveOptions struct {
	solver engine.SolverOptions
	moves  bool
	check  bool
}

func newSolve() *cobra.Command {
	var gameName string
	var count bool
	var plies, depth int // depth of the book to build, or 0
	opt := solveOptions{solver: engine.DefaultSolverOptions()}
	cmd := &cobra.Command{
		Use:   "solve --game NAME",
		Args:  noPositions,
		Short: "Print the exact value of positions",
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case plies < 0:
				return usageErrorf("--plies is %d, but must be 0 or more", plies)
			case depth < 0:
				return usageErrorf("--build-book is %d, but must be 0 or more", depth)
			case depth > 0 && opt.solver.Book == "":
				return usageErrorf("--build-book needs --book, the file to write")
			case depth > 0 && count:
				return usageErrorf("--build-book writes a book, --count counts positions: choose one of them")
			}
			e, err := engine.OpenFor(gameName)
			switch {
			case err != nil:
				return err
			case count:
				return countPositions(cmd, e, plies)
			case depth > 0:
				return buildBook(cmd, e, opt.solver, depth)
			}
			return solve(cmd, e, opt)
		},
	}
	gameFlag(cmd, &gameName, "`name` of the game")
	cmd.Flags().BoolVar(&opt.moves, "moves", false, "also print the value of each move")
	cmd.Flags().BoolVar(&opt.check, "check", false, "expect a score at the end of each line; print how many agree")
	cmd.Flags().BoolVar(&count, "count", false, "count the game's positions by ply instead")
	cmd.Flags().IntVar(&plies, "plies", 0, "with --count: the last ply to count; 0: to the end of the game")
	cmd.Flags().IntVar(&depth, "build-book", 0, "write the scores of all positions up to this `ply` into --book instead")
	jsonFlag(cmd, "print one JSON object per line")
	solverFlags(cmd, &opt.solver)
	return cmd
}

func solverFlags(cmd *cobra.Command, o *engine.SolverOptions) {
	cmd.Flags().IntVar(&o.TableMegabytes, "table-megabytes", o.TableMegabytes, "memory for solved positions, in MiB")
	coresFlag(cmd, &o.Threads, "threads", "goroutines per position (Connect Four)")
	cmd.Flags().StringVar(&o.Book, "book", o.Book, "opening book `file` instead of the built-in one for the first 8 plies (Connect Four)")
}

func solve(cmd *cobra.Command, e engine.Game, opt solveOptions) error {
	ctx := cmd.Context()
	exact, err := e.Solver(opt.solver)
	if err != nil {
		return err
	}
	var check engine.SolveCheck
	err = eachLine(ctx, cmd.InOrStdin(), func(text string) error {
		want := 0
		if opt.check {
			if text, want, err = engine.SplitExpected(text); err != nil {
				return err
			}
		}
		p, err := transcript.Position(e, text)
		if err != nil {
			return err
		}
		s, err := exact.Solve(ctx, p, opt.moves)
		if err != nil {
			return err
		}
		check.Add(s, want)
		return printLine(cmd, engine.NewSolutionJSON(p, s), engine.SolutionText(p, s))
	})
	if err != nil || !opt.check {
		return err
	}
	fmt.Fprintln(cmd.ErrOrStderr(), check.Text())
	return check.Err()
}

// countPositions prints the number of positions at each ply as it counts, since a large game takes long.
func countPositions(cmd *cobra.Command, e engine.Game, plies int) error {
	row := func(cells ...any) error {
		_, err := fmt.Fprintf(cmd.OutOrStdout(), "%4v %14v %12v %12v %12v %12v\n", cells...)
		return err
	}
	asJSON := wantsJSON(cmd)
	if !asJSON {
		row("ply", "positions", "over", "first wins", "second wins", "draws")
	}
	var total game.Census
	ply := 0
	err := e.Count(cmd.Context(), plies, func(c game.Census) error {
		total.Positions += c.Positions
		total.Terminal.FirstWins += c.Terminal.FirstWins
		total.Terminal.SecondWins += c.Terminal.SecondWins
		total.Terminal.Draws += c.Terminal.Draws
		ply++
		if !asJSON {
			return row(ply-1, c.Positions, c.Terminal.Total(), c.Terminal.FirstWins, c.Terminal.SecondWins, c.Terminal.Draws)
		}
		return json.NewEncoder(cmd.OutOrStdout()).Encode(map[string]any{
			"ply": ply - 1, "positions": c.Positions, "over": c.Terminal.Total(),
			"first_wins": c.Terminal.FirstWins, "second_wins": c.Terminal.SecondWins, "draws": c.Terminal.Draws,
		})
	})
	if err == nil && !asJSON {
		return row("all", total.Positions, total.Terminal.Total(), total.Terminal.FirstWins, total.Terminal.SecondWins, total.Terminal.Draws)
	}
	return err
}

// buildBook writes an opening book: the scores of all Connect Four positions up to a ply. After an
// interruption, the file has the positions solved so far, and the same command continues from there.
func buildBook(cmd *cobra.Command, e engine.Game, solver engine.SolverOptions, depth int) error {
	ctx := cmd.Context()
	name, file := e.Info().Name, solver.Book
	family, numbers, _ := strings.Cut(name, ":")
	g, err := connect4.Parse(numbers)
	if family != "connect4" || err != nil {
		return usageErrorf("opening books are only for Connect Four, not for %s", name)
	}
	if err := solver.Validate(); err != nil {
		return engine.InputError{Err: err}
	}
	from, err := connect4solver.ReadBookFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	live, start := newStatusLine(cmd.ErrOrStderr()), time.Now()
	book, failure := connect4solver.BuildBook(ctx, g, connect4solver.BuildOptions{
		Depth:  depth,
		Solver: connect4solver.Options{TableMegabytes: solver.TableMegabytes, Threads: solver.Threads},
		From:   from,
		Progress: func(done, total int) {
			live.Set(fmt.Sprintf("position %d/%d of ply %d, %s", done, total, depth, printable.Elapsed(time.Since(start))))
		},
	})
	live.Clear()
	if book == nil { // the request was refused
		return engine.InputError{Err: failure}
	}
	err = atomicfile.Write(file, 0o644, func(w io.Writer) error { _, err := book.WriteTo(w); return err })
	switch {
	case err != nil:
		return errors.Join(failure, err)
	case ctx.Err() != nil && book.Len() > 0:
		return fmt.Errorf("%w: %s has the first %d scores, and the same command continues from there", errInterrupted, file, book.Len())
	case failure != nil:
		return failure
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %d positions up to ply %d after %s\n", file, book.Len(), book.Depth(), printable.Elapsed(time.Since(start)))
	return err
}

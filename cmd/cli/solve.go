package cli

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"tengen/engine"
)

type solveOptions struct {
	solver engine.SolverOptions
	moves  bool
	check  bool
	count  bool
	plies  int
	build  int // depth of the book to build, or 0
	json   bool
}

func newSolve() *cobra.Command {
	var gameName string
	opt := solveOptions{solver: engine.DefaultSolverOptions()}
	cmd := &cobra.Command{
		Use:   "solve --game NAME",
		Short: "Say what positions are worth under perfect play, one a line",
		Long: "solve reads positions from standard input, one a line, and answers each at\n" +
			"once with\n\n" +
			"  position score nodes microseconds\n\n" +
			"A position is its moves: 44353 in Connect Four, h8 i9 on other boards, an\n" +
			"empty line the starting position; or its board, row by row from the top:\n" +
			"..O/.X./X... Of a game that is over, the answer says who has won. The score is\n" +
			"for the side to move: 0 a draw, positive a win, negative a loss, and larger\n" +
			"the sooner it wins or the later it loses. On Connect Four's board it is 22\n" +
			"less the stones that the winner will have played.",
		Example: "  echo 44444 | tengen solve --game connect4 --moves\n" +
			"  tengen solve --game tictactoe --count\n" +
			"  tengen solve --game connect4 --build-book 4 --book checkpoints/connect4.book",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case opt.plies < 0:
				return usageErrorf("--plies is %d, it must be at least 0", opt.plies)
			case opt.build < 0:
				return usageErrorf("--build-book is %d, it must be at least 0", opt.build)
			case opt.build > 0 && opt.solver.Book == "":
				return usageErrorf("--build-book needs --book, the file to write")
			case opt.build > 0 && opt.count:
				return usageErrorf("--build-book writes a book, --count counts positions: choose one of them")
			}
			e, err := engine.OpenFor(gameName)
			switch {
			case err != nil:
				return err
			case opt.count:
				return countPositions(cmd.Context(), cmd.OutOrStdout(), e, opt)
			case opt.build > 0:
				return buildBook(cmd.Context(), cmd, e, opt)
			}
			return solve(cmd.Context(), cmd, e, opt)
		},
	}
	gameFlag(cmd, &gameName, "`name` of the game")
	cmd.Flags().BoolVar(&opt.moves, "moves", false, "say what each move is worth as well")
	cmd.Flags().BoolVar(&opt.check, "check", false, "lines end in the score that is expected; say at the end how many agree")
	cmd.Flags().BoolVar(&opt.count, "count", false, "count the positions of the game by ply instead")
	cmd.Flags().IntVar(&opt.plies, "plies", 0, "with --count: the last ply to count; 0: to the end of the game")
	cmd.Flags().IntVar(&opt.build, "build-book", 0, "write the scores of all positions up to this `ply` into --book instead")
	cmd.Flags().BoolVar(&opt.json, "json", false, "answer with a JSON object a line")
	solverFlags(cmd, &opt.solver)
	return cmd
}

func solverFlags(cmd *cobra.Command, o *engine.SolverOptions) {
	cmd.Flags().IntVar(&o.TableMegabytes, "table-megabytes", o.TableMegabytes, "memory for positions that are solved already, in MiB")
	coresFlag(cmd, &o.Threads, "threads", "goroutines that solve a position together (Connect Four)")
	cmd.Flags().StringVar(&o.Book, "book", o.Book, "opening book `file`, in place of the program's own for the first 8 plies (Connect Four)")
}

func solve(ctx context.Context, cmd *cobra.Command, e engine.Game, opt solveOptions) error {
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
		p, err := engine.ParsePosition(e, text)
		if err != nil {
			return err
		}
		s, err := exact.Solve(ctx, p, opt.moves)
		if err != nil {
			return err
		}
		check.Add(s, want)
		if opt.json {
			return json.NewEncoder(cmd.OutOrStdout()).Encode(engine.NewSolutionJSON(e, p, s))
		}
		_, err = fmt.Fprintln(cmd.OutOrStdout(), engine.SolutionText(e, p, s))
		return err
	})
	if err != nil || !opt.check {
		return err
	}
	fmt.Fprintln(cmd.ErrOrStderr(), check.Text())
	return check.Err()
}

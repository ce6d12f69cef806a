package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tengen/game"
	"tengen/solver"
)

type solveOptions struct {
	solver solverOptions
	moves  bool
	check  bool
	count  bool
	plies  int
	build  int // depth of the book to build, 0 for none
	json   bool
}

func newSolve() *cobra.Command {
	var gameName string
	opt := solveOptions{solver: defaultSolverOptions()}
	cmd := &cobra.Command{
		Use:   "solve --game NAME",
		Short: "Say what positions are worth under perfect play, one a line",
		Long: "solve reads positions from standard input, one a line, and answers each at once with\n\n" +
			"  position score nodes microseconds\n\n" +
			"A position is its moves: 44353 in Connect Four, h8 i9 on other boards, an empty line the starting position.\n" +
			"The score is that of the side to move: 0 a draw, positive a win, negative a loss, and larger the sooner it wins\n" +
			"or the later it loses. On Connect Four's board it is 22 less the stones that the winner will have played.",
		Example: "  echo 44444 | tengen solve --game connect4 --moves\n" +
			"  tengen solve --game tictactoe --count\n" +
			"  tengen solve --game connect4 --build-book 4 --book checkpoints/connect4.book",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if gameName == "" {
				return usageError{fmt.Errorf("which game? Name it with --game, such as --game connect4")}
			}
			if err := opt.validate(); err != nil {
				return usageError{err}
			}
			p, err := openGame(gameName)
			if err != nil {
				return usageError{err}
			}
			return p.solve(cmd.Context(), cmd, opt)
		},
	}
	cmd.Flags().StringVar(&gameName, "game", "", "`name` of the game")
	cmd.Flags().BoolVar(&opt.moves, "moves", false, "say what each move is worth as well")
	cmd.Flags().BoolVar(&opt.check, "check", false, "lines end in the score that is expected; say at the end how many agree")
	cmd.Flags().BoolVar(&opt.count, "count", false, "count the positions of the game by ply instead")
	cmd.Flags().IntVar(&opt.plies, "plies", 0, "with --count: the last ply to count; 0: to the end of the game")
	cmd.Flags().IntVar(&opt.build, "build-book", 0, "write the scores of all positions up to this `ply` into --book instead")
	cmd.Flags().BoolVar(&opt.json, "json", false, "answer with a JSON object a line")
	opt.solver.register(cmd)
	return cmd
}

func (o solveOptions) validate() error {
	switch {
	case o.plies < 0:
		return fmt.Errorf("--plies is %d, it must be at least 0", o.plies)
	case o.build < 0:
		return fmt.Errorf("--build-book is %d, it must be at least 0", o.build)
	case o.build > 0 && o.solver.book == "":
		return fmt.Errorf("--build-book needs --book, the file to write")
	}
	return o.solver.validate()
}

func (b bound[S]) solve(ctx context.Context, cmd *cobra.Command, opt solveOptions) error {
	switch {
	case opt.count:
		return b.countPositions(ctx, cmd, opt)
	case opt.build > 0:
		return b.buildBook(ctx, cmd, opt)
	}
	exact, err := b.exact(opt.solver)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	in := readLines(ctx, cmd.InOrStdin())
	var sum solveSummary
	for line := 1; ; line++ {
		text, err := in.next(ctx)
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return fmt.Errorf("line %d: cannot read the position: %w", line, err)
		}
		text, want, err := splitExpected(text, opt.check)
		if err != nil {
			return usageError{fmt.Errorf("line %d: %w", line, err)}
		}
		moves, s, err := b.parsePosition(text)
		if err != nil {
			return usageError{fmt.Errorf("line %d: %w", line, err)}
		}
		a, err := b.solvePosition(ctx, exact, moves, s, opt.moves)
		if err != nil {
			return err
		}
		sum.add(a, want)
		if err := a.print(cmd.OutOrStdout(), opt.json); err != nil {
			return err
		}
	}
	if !opt.check {
		return nil
	}
	return sum.report(cmd.ErrOrStderr())
}

// splitExpected takes the expected score off a line that ends in one.
func splitExpected(line string, check bool) (position string, want solver.Score, err error) {
	if !check {
		return line, 0, nil
	}
	fields := strings.Fields(line)
	if len(fields) == 0 {
		return "", 0, fmt.Errorf("the line is empty: with --check it ends in the expected score")
	}
	last := fields[len(fields)-1]
	score, err := strconv.Atoi(last)
	if err != nil {
		return "", 0, fmt.Errorf("the line ends in %q: with --check it ends in the expected score", last)
	}
	return strings.Join(fields[:len(fields)-1], " "), solver.Score(score), nil
}

// solution is an answer of solve. Scores are for the side to move.
type solution struct {
	Moves        string         `json:"moves"`
	Score        int            `json:"score"`
	Nodes        uint64         `json:"nodes"`
	Microseconds float64        `json:"microseconds"`
	Scores       map[string]int `json:"scores,omitempty"` // by move
	order        []string       // the moves of Scores
}

func (b bound[S]) solvePosition(ctx context.Context, exact solver.Solver[S], moves []game.Action, s S, each bool) (solution, error) {
	nodes, start := exact.Nodes(), time.Now()
	score, err := exact.Solve(ctx, s)
	if err != nil {
		return solution{}, err
	}
	a := solution{Moves: b.game.FormatMoves(moves), Score: int(score)}
	if legal := s.Legal(nil); each && len(legal) > 0 {
		scores, err := solver.Moves(ctx, exact, s, legal)
		if err != nil {
			return solution{}, err
		}
		a.Scores = map[string]int{}
		for i, m := range legal {
			name := b.game.FormatAction(m)
			a.order = append(a.order, name)
			a.Scores[name] = int(scores[i])
		}
	}
	a.Nodes, a.Microseconds = exact.Nodes()-nodes, float64(time.Since(start).Nanoseconds())/1000
	return a, nil
}

// print writes the answer in a line.
func (a solution) print(w io.Writer, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(a)
	}
	position := a.Moves
	if position == "" {
		position = "start"
	}
	text := fmt.Sprintf("%s %d %d %.0f", position, a.Score, a.Nodes, a.Microseconds)
	for _, name := range a.order {
		text += fmt.Sprintf(" %s:%d", name, a.Scores[name])
	}
	_, err := fmt.Fprintln(w, text)
	return err
}

// solveSummary sums up what --check has found.
type solveSummary struct {
	positions, right    int
	nodes               uint64
	microseconds, worst float64
}

func (s *solveSummary) add(a solution, want solver.Score) {
	s.positions++
	if a.Score == int(want) {
		s.right++
	}
	s.nodes += a.Nodes
	s.microseconds += a.Microseconds
	s.worst = max(s.worst, a.Microseconds)
}

// report writes the means and returns an error when scores are not as expected.
func (s *solveSummary) report(w io.Writer) error {
	n := float64(max(1, s.positions))
	fmt.Fprintf(w, "%d of %d scores as expected; mean %.0f nodes, %.1f microseconds; slowest %.0f microseconds\n",
		s.right, s.positions, float64(s.nodes)/n, s.microseconds/n, s.worst)
	if s.right < s.positions {
		return fmt.Errorf("%d of %d scores are not as expected", s.positions-s.right, s.positions)
	}
	return nil
}

// countPositions prints how many positions the game has at each ply, as it goes: a large game takes long.
func (b bound[S]) countPositions(ctx context.Context, cmd *cobra.Command, opt solveOptions) error {
	last := opt.plies
	if last == 0 {
		last = b.game.MaxPlies()
	}
	out := cmd.OutOrStdout()
	encode := json.NewEncoder(out)
	if !opt.json {
		fmt.Fprintf(out, "%4s %14s %12s %12s %12s %12s\n", "ply", "positions", "over", "first wins", "second wins", "draws")
	}
	var total game.Census
	row := func(ply string, c game.Census) {
		fmt.Fprintf(out, "%4s %14d %12d %12d %12d %12d\n",
			ply, c.Positions, c.Terminal.Total(), c.Terminal.FirstWins, c.Terminal.SecondWins, c.Terminal.Draws)
	}
	ply := 0
	for c := range game.CountPositions(b.game, last) {
		total.Positions += c.Positions
		total.Terminal.FirstWins += c.Terminal.FirstWins
		total.Terminal.SecondWins += c.Terminal.SecondWins
		total.Terminal.Draws += c.Terminal.Draws
		if err := ctx.Err(); err != nil {
			return err
		}
		if !opt.json {
			row(strconv.Itoa(ply), c)
		} else if err := encode.Encode(map[string]any{
			"ply": ply, "positions": c.Positions, "over": c.Terminal.Total(),
			"first_wins": c.Terminal.FirstWins, "second_wins": c.Terminal.SecondWins, "draws": c.Terminal.Draws,
		}); err != nil {
			return err
		}
		ply++
	}
	if !opt.json {
		row("all", total)
	}
	return nil
}

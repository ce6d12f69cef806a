package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"tengen/cluster"
	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/mnk"
	"tengen/replay"
)

// program is a game with every command bound to its type of position. The commands hold one of these, so the choice of
// the game is made once.
type program interface {
	name() string
	train(ctx context.Context, cmd *cobra.Command, cfg Config, dir string) error
	eval(ctx context.Context, cmd *cobra.Command, cfg Config, opt evalOptions) error
	ladder(ctx context.Context, cmd *cobra.Command, cfg Config, opt ladderOptions) error
	grade(ctx context.Context, cmd *cobra.Command, cfg Config, opt gradeOptions) error
	solve(ctx context.Context, cmd *cobra.Command, opt solveOptions) error
	play(ctx context.Context, cmd *cobra.Command, cfg Config, opt playOptions) error
	analyze(ctx context.Context, cmd *cobra.Command, cfg Config, opt analyzeOptions) error
	bench(ctx context.Context, cmd *cobra.Command, cfg Config, opt benchOptions) error
	player(s cluster.Settings, seed uint64, workers int) (cluster.Player, error)
	validate(g *replay.Record) error
	show(cmd *cobra.Command, e replay.Entry) error
	export(cmd *cobra.Command, log replay.Log, opt exportOptions) error
}

// bound implements program.
type bound[S game.State[S]] struct {
	game  game.Game[S]
	exact opener[S]
	quick int // the ply from which on exact takes well under a second for a position
}

func (b bound[S]) name() string { return b.game.Name() }

// bind returns the program of a game unless err is not nil.
func bind[S game.State[S], G game.Game[S]](g G, err error, solve func(G) (exact opener[S], quick int)) (program, error) {
	if err != nil {
		return nil, err
	}
	exact, quick := solve(g)
	return bound[S]{g, exact, quick}, nil
}

// families lists the games by the first word of their names, with the form of what follows it.
var families = []struct {
	name, form string
	open       func(numbers string) (program, error)
}{
	{"tictactoe", "tictactoe", fixed(mnk.TicTacToe)},
	{"connect4", "connect4 or connect4:COLUMNS,ROWS,K", func(numbers string) (program, error) {
		if numbers == "" {
			return bind(connect4.Standard(), nil, solveConnect4)
		}
		g, err := connect4.Parse(numbers)
		return bind(g, err, solveConnect4)
	}},
	{"gomoku", "gomoku", fixed(mnk.Gomoku)},
	{"mnk", "mnk:COLUMNS,ROWS,K", func(numbers string) (program, error) {
		g, err := mnk.Parse(numbers)
		return bind(g, err, solveMNK)
	}},
}

// fixed is a family of one board.
func fixed(open func() *mnk.Game) func(string) (program, error) {
	return func(numbers string) (program, error) {
		if numbers != "" {
			return nil, fmt.Errorf("%q is one too many", numbers)
		}
		return bind(open(), nil, solveMNK)
	}
}

// openGame returns the program of the game with the given name.
func openGame(name string) (program, error) {
	family, numbers, colon := strings.Cut(strings.ToLower(strings.TrimSpace(name)), ":")
	var forms []string
	for _, f := range families {
		if f.name == family {
			p, err := f.open(numbers)
			if colon && numbers == "" {
				err = fmt.Errorf("nothing follows the colon")
			}
			if err != nil {
				return nil, fmt.Errorf("game %q: %w: write %s", name, err, f.form)
			}
			return p, nil
		}
		forms = append(forms, f.form)
	}
	return nil, fmt.Errorf("game %q is unknown: write %s", name, strings.Join(forms, ", "))
}

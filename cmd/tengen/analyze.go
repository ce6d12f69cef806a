package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"tengen/arena"
	"tengen/game"
	"tengen/internal/random"
	"tengen/mcts"
)

type analyzeOptions struct {
	spec arena.Spec
	seed uint64
	json bool
}

func newAnalyze() *cobra.Command {
	var flags configFlags
	var opt analyzeOptions
	var player, gameName string
	cmd := &cobra.Command{
		Use:   "analyze --player SPEC",
		Short: "Say what a player thinks of positions, one a line",
		Long: "analyze reads positions from standard input, one a line, and answers each with a line at once,\n" +
			"so that another program can talk to it. A position is its moves: 44353 in Connect Four,\n" +
			"h8 i9 on other boards, an empty line the starting position.",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if opt.spec, err = parseEngine("--player", player); err != nil {
				return err
			}
			cfg, p, err := resolve(&flags, gameName, opt.spec)
			if err != nil {
				return err
			}
			return p.analyze(cmd.Context(), cmd, cfg, opt)
		},
	}
	flags.register(cmd, "")
	cmd.Flags().StringVar(&player, "player", "", "the player's `SPEC`: "+arena.Forms())
	cmd.Flags().StringVar(&gameName, "game", "", "`name` of the game, where the player's model does not tell")
	cmd.Flags().Uint64Var(&opt.seed, "seed", 1, "seed of the player's random choices")
	cmd.Flags().BoolVar(&opt.json, "json", false, "answer with a JSON object a line")
	return cmd
}

func (b bound[S]) analyze(ctx context.Context, cmd *cobra.Command, cfg Config, opt analyzeOptions) error {
	player, err := newPlayer(b.builder(cfg), opt.spec)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	in := readLines(ctx, cmd.InOrStdin())
	for line := 1; ; line++ {
		text, err := in.next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("line %d: cannot read the position: %w", line, err)
		}
		moves, s, err := b.parsePosition(text)
		if err != nil {
			return usageError{fmt.Errorf("line %d: %w", line, err)}
		}
		if _, over := s.Outcome(); over {
			return usageError{fmt.Errorf("line %d: the game is over after %q, there is nothing to analyze", line, text)}
		}
		a, err := arena.Analyze(ctx, player, s, random.New(opt.seed, uint64(line)))
		if err != nil {
			return err
		}
		if err := b.printAnalysis(cmd.OutOrStdout(), moves, a, opt.json); err != nil {
			return err
		}
	}
}

// parsePosition reads a position given by its moves.
func (b bound[S]) parsePosition(text string) ([]game.Action, S, error) {
	moves, err := b.game.ParseMoves(text)
	if err != nil {
		return nil, b.game.Start(), err
	}
	s, err := game.Replay(b.game, moves)
	return moves, s, err
}

// analysisJSON is a line of analyze --json. Values are for the side to move.
type analysisJSON struct {
	Moves       string             `json:"moves"`
	ToMove      string             `json:"to_move"` // "first" or "second"
	Best        string             `json:"best"`
	Value       float32            `json:"value"`
	Proven      *string            `json:"proven"` // "win", "loss", "draw" or null
	Visits      map[string]int     `json:"visits"`
	Prior       map[string]float32 `json:"prior"`
	Policy      map[string]float32 `json:"policy"`
	PV          []string           `json:"pv"`
	Simulations int                `json:"simulations"`
}

func (b bound[S]) printAnalysis(w io.Writer, moves []game.Action, a *arena.Analysis, asJSON bool) error {
	toMove := [2]string{"first", "second"}[len(moves)%2]
	var pv []string
	for _, m := range a.PV {
		pv = append(pv, b.game.FormatAction(m))
	}
	if asJSON {
		line := analysisJSON{
			Moves: b.game.FormatMoves(moves), ToMove: toMove, Best: b.game.FormatAction(a.Best), Value: a.Value,
			Visits: map[string]int{}, Prior: map[string]float32{}, Policy: map[string]float32{}, PV: pv,
			Simulations: a.Simulations,
		}
		if a.Proven != mcts.Unknown {
			proven := a.Proven.String()
			line.Proven = &proven
		}
		for _, m := range a.Moves {
			name := b.game.FormatAction(m.Action)
			line.Visits[name], line.Prior[name], line.Policy[name] = m.Visits, m.Prior, a.Policy[m.Action]
		}
		return json.NewEncoder(w).Encode(line)
	}
	value := fmt.Sprintf("value %+.3f", a.Value)
	if a.Proven != mcts.Unknown {
		value = "proven " + a.Proven.String()
	}
	position := b.game.FormatMoves(moves)
	if position == "" {
		position = "start"
	}
	_, err := fmt.Fprintf(w, "%s: %s, %s, %d simulations, pv %s\n",
		position, b.game.FormatAction(a.Best), value, a.Simulations, strings.Join(pv, " "))
	return err
}

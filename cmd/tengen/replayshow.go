package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tengen/game"
	"tengen/replay"
)

func newReplayShow() *cobra.Command {
	var worker string
	cmd := &cobra.Command{
		Use:   "show DIR GAME",
		Short: "Print a game move by move",
		Long: "show prints a game with the value of each search, for the side to move, its simulations, and the largest shares of\n" +
			"moves that the policy learns. A position that does not count as one in learning has its weight beside it. GAME is the\n" +
			"number of the game, or # and its sequence number in the log.",
		Example: "  tengen replay show checkpoints/connect4 1234\n" +
			"  tengen replay show checkpoints/connect4 '#1300'",
		Args: exactArgs("DIR", "GAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			wanted, err := parseGameArgument(args[1])
			if err != nil {
				return usageError{err}
			}
			if cmd.Flags().Changed("worker") {
				wanted.worker = &worker
			}
			p, log, err := openRun(cmd.Context(), args[0], warner(cmd))
			if err != nil {
				return err
			}
			defer log.Close()
			e, err := wanted.find(cmd.Context(), log)
			if err != nil {
				return err
			}
			if err := usable(p, e); err != nil {
				return err
			}
			return p.show(cmd, e)
		},
	}
	cmd.Flags().StringVar(&worker, "worker", "", "`name` of the worker, where several have a game with this number")
	return cmd
}

// wantedGame names an entry of a log.
type wantedGame struct {
	sequence, number uint64 // the number counts if the sequence number is 0
	worker           *string
}

func parseGameArgument(text string) (w wantedGame, err error) {
	digits, bySequence := strings.CutPrefix(text, "#")
	n, err := strconv.ParseUint(digits, 10, 64)
	switch {
	case err != nil || bySequence && n == 0:
		return w, fmt.Errorf("%q is no game: write its number, or # and its sequence number", text)
	case bySequence:
		return wantedGame{sequence: n}, nil
	}
	return wantedGame{number: n}, nil
}

func (w wantedGame) matches(e replay.Entry) bool {
	if w.sequence > 0 {
		return e.Sequence == w.sequence
	}
	return e.Game != nil && e.Game.Number == w.number && (w.worker == nil || *w.worker == e.Worker)
}

// find returns the only entry that matches.
func (w wantedGame) find(ctx context.Context, log replay.Log) (replay.Entry, error) {
	var found []replay.Entry
	var oldest, newest uint64
	err := log.Read(ctx, 0, func(e replay.Entry) error {
		if oldest == 0 {
			oldest = e.Sequence
		}
		newest = e.Sequence
		if w.matches(e) {
			found = append(found, e)
		}
		return nil
	})
	switch {
	case err != nil:
		return replay.Entry{}, err
	case len(found) == 1:
		return found[0], nil
	case newest == 0:
		return replay.Entry{}, errors.New("the log has no games")
	case len(found) == 0:
		return replay.Entry{}, fmt.Errorf("the log has no such game: it holds the sequence numbers %d to %d", oldest, newest)
	}
	var list []string
	for _, e := range found {
		list = append(list, fmt.Sprintf("#%d of worker %s", e.Sequence, e.Worker))
	}
	return replay.Entry{}, usageError{fmt.Errorf("several workers have a game %d: choose with --worker, or among %s",
		w.number, strings.Join(list, ", "))}
}

// shownMoves is the number of moves shown of a policy.
const shownMoves = 5

func (b bound[S]) show(cmd *cobra.Command, e replay.Entry) error {
	g, out := e.Game, cmd.OutOrStdout()
	fmt.Fprintf(out, "game %d of %s, sequence number %d, worker %s, model %d, seed %d\n",
		g.Number, b.game.Name(), e.Sequence, e.Worker, g.Model, g.Seed)
	fmt.Fprintf(out, "%4s %6s %7s %7s  %s\n", "ply", "move", "value", "search", "policy")
	s := b.game.Start()
	for ply, a := range g.Moves {
		move := stones[ply%2] + " " + b.game.FormatAction(a)
		if ply < g.Opening {
			fmt.Fprintf(out, "%4d %6s  opening, at random\n", ply+1, move)
		} else {
			row := ply - g.Opening
			fmt.Fprintf(out, "%4d %6s %+7.3f %7d  %s\n", ply+1, move, g.Values[row], g.Simulations[row], b.describePolicy(g, row))
		}
		s = s.Play(a)
	}
	fmt.Fprintln(out)
	drawBoard(out, b.game, s, useColour(out))
	_, err := fmt.Fprintln(out, describeEnd(g))
	return err
}

// describePolicy lists the moves with the largest shares of a search's policy, the largest first, and the weight of the position
// if it does not count as one.
func (b bound[S]) describePolicy(g *replay.Record, row int) string {
	shares := maps.Collect(g.Policy.Shares(row))
	order := slices.Sorted(maps.Keys(shares))
	slices.SortStableFunc(order, func(a, b game.Action) int { return cmp.Compare(shares[b], shares[a]) })
	var list []string
	for _, a := range order[:min(shownMoves, len(order))] {
		list = append(list, fmt.Sprintf("%s %.1f %%", b.game.FormatAction(a), 100*shares[a]))
	}
	if len(order) == 0 {
		list = append(list, "none")
	}
	if w := g.Weights[row]; w != replay.FullWeight {
		list = append(list, fmt.Sprintf("weight %.2f", float64(w)/replay.FullWeight))
	}
	return strings.Join(list, ", ")
}

// describeEnd says in words how a game ended.
func describeEnd(g *replay.Record) string {
	end := map[int8]string{1: "X wins", 0: "A draw", -1: "O wins"}[g.Outcome] + " after " + count(len(g.Moves), "move")
	tested, wrong := g.FalseResignation()
	switch {
	case g.Resigned:
		end += fmt.Sprintf(": %s resigns", stones[g.ResignPly%2])
	case tested && wrong:
		end += fmt.Sprintf("; %s would have resigned at ply %d, wrongly", stones[g.ResignPly%2], g.ResignPly+1)
	case tested:
		end += fmt.Sprintf("; %s would have resigned at ply %d", stones[g.ResignPly%2], g.ResignPly+1)
	}
	return end + "."
}

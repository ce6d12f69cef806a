package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tengen/engine"
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
		Args:              exactArgs("DIR", "GAME"),
		ValidArgsFunction: completeRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			wanted, err := parseWanted(args[1])
			if err != nil {
				return err
			}
			wanted.Worker = worker
			run, err := engine.OpenRun(cmd.Context(), args[0], warner(cmd))
			if err != nil {
				return err
			}
			defer run.Close()
			entry, err := run.Find(cmd.Context(), wanted)
			if err != nil {
				return err
			}
			return showGame(cmd.OutOrStdout(), run.Engine, entry)
		},
	}
	cmd.Flags().StringVar(&worker, "worker", "", "`name` of the worker, where several have a game with this number")
	return cmd
}

// parseWanted reads GAME.
func parseWanted(text string) (w engine.Wanted, err error) {
	digits, bySequence := strings.CutPrefix(text, "#")
	n, err := strconv.ParseUint(digits, 10, 64)
	switch {
	case err != nil || bySequence && n == 0:
		return w, usageErrorf("%q is no game: write its number, or # and its sequence number", text)
	case bySequence:
		return engine.Wanted{Sequence: n}, nil
	}
	return engine.Wanted{Number: n}, nil
}

// shownMoves is the number of moves shown of a policy.
const shownMoves = 5

func showGame(out io.Writer, e engine.Engine, entry replay.Entry) error {
	g := entry.Game
	fmt.Fprintf(out, "game %d of %s, sequence number %d, worker %s, model %d, seed %d\n",
		g.Number, e.Info().Name, entry.Sequence, entry.Worker, g.Model, g.Seed)
	fmt.Fprintf(out, "%4s %6s %7s %7s  %s\n", "ply", "move", "value", "search", "policy")
	for ply, a := range g.Moves {
		move := engine.Stones[ply%2] + " " + e.FormatAction(a)
		if ply < g.Opening {
			fmt.Fprintf(out, "%4d %6s  opening, at random\n", ply+1, move)
		} else {
			row := ply - g.Opening
			fmt.Fprintf(out, "%4d %6s %+7.3f %7d  %s\n", ply+1, move, g.Values[row], g.Simulations[row], describePolicy(e, g, row))
		}
	}
	end, err := e.Replay(g.Moves)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "\n%s%s\n", drawBoard(end, useColour(out)), describeEnd(g))
	return err
}

// describePolicy lists the moves with the largest shares of a search's policy, the largest first, and the weight of the position
// if it does not count as one.
func describePolicy(e engine.Engine, g *replay.Record, row int) string {
	shares := maps.Collect(g.Policy.Shares(row))
	order := slices.Sorted(maps.Keys(shares))
	slices.SortStableFunc(order, func(a, b game.Action) int { return cmp.Compare(shares[b], shares[a]) })
	var list []string
	for _, a := range order[:min(shownMoves, len(order))] {
		list = append(list, fmt.Sprintf("%s %.1f %%", e.FormatAction(a), 100*shares[a]))
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
		end += fmt.Sprintf(": %s resigns", engine.Stones[g.ResignPly%2])
	case tested && wrong:
		end += fmt.Sprintf("; %s would have resigned at ply %d, wrongly", engine.Stones[g.ResignPly%2], g.ResignPly+1)
	case tested:
		end += fmt.Sprintf("; %s would have resigned at ply %d", engine.Stones[g.ResignPly%2], g.ResignPly+1)
	}
	return end + "."
}

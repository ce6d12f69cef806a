package cli

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tengen/engine"
	"tengen/game"
	"tengen/internal/printable"
	"tengen/replay"
	"tengen/run"
	"tengen/train/checkpoint"
)

func newReplayVerify() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "verify DIR",
		Short: "Check every game, checkpoint and model of a run",
		RunE: func(cmd *cobra.Command, args []string) error {
			v, err := run.VerifyRun(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if err := printReport(cmd, v, verificationText(v, args[0])); err != nil {
				return err
			}
			if n := len(v.Problems); n > 0 {
				return fmt.Errorf("%s is not intact: %s", args[0], printable.Plural(n, "problem"))
			}
			return nil
		},
	}
	jsonFlag(cmd, "print a JSON object")
	return cmd
}

// verificationText returns one line per problem and a summary.
func verificationText(v *run.Verification, dir string) string {
	var b strings.Builder
	for _, p := range v.Problems {
		fmt.Fprintln(&b, oneLine(p.Text))
	}
	fmt.Fprintf(&b, "%s: %s intact, %s read, %s\n", shown(dir), printable.Plural(v.Games, "game"), printable.Plural(v.Files, "file"), printable.Plural(len(v.Problems), "problem"))
	return b.String()
}

func newReplayStats() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "stats DIR",
		Short: "Count the games and the time spent",
		RunE: func(cmd *cobra.Command, args []string) error {
			recorded, err := run.OpenRun(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer recorded.Close()
			s, err := recorded.Summary(cmd.Context())
			if err != nil {
				return err
			}
			text := statsText(s)
			if all, err := checkpoint.ReadMetrics(args[0]); err == nil && len(all) > 0 {
				text += run.SpentText(all) + "\n"
			}
			return printReport(cmd, s, text)
		},
	}
	jsonFlag(cmd, "print a JSON object")
	return cmd
}

func statsText(s *replay.Summary) string {
	share := func(n int) string { return fmt.Sprintf("%d (%.1f %%)", n, 100*float64(n)/float64(max(1, s.Games))) }
	var b strings.Builder
	fmt.Fprintf(&b, "%s with %s, numbers %d to %d\n", printable.Plural(s.Games, "game"), printable.Plural(s.Positions, "position"), s.Oldest, s.Newest)
	fmt.Fprintf(&b, "searches: %d, mean of %.1f simulations\n", s.Searches, float64(s.Simulations)/float64(max(1, s.Searches)))
	fmt.Fprintf(&b, "results: first %s, draw %s, second %s\n", share(s.Results["first"]), share(s.Results["draw"]), share(s.Results["second"]))
	l := s.Lengths
	fmt.Fprintf(&b, "moves: %d to %d, mean %.1f, median %d; a tenth has at most %d, nine tenths %d\n",
		l.Shortest, l.Longest, l.Mean, l.Median, l.P10, l.P90)
	for _, worker := range slices.Sorted(maps.Keys(s.Workers)) {
		fmt.Fprintf(&b, "worker %s: %s\n", worker, printable.Plural(s.Workers[worker], "game"))
	}
	fmt.Fprintf(&b, "damaged: %d, missing or unfinished: %d\n", s.Damaged, s.Missing)
	fmt.Fprintf(&b, "%8s %8s %10s %10s\n", "model", "games", "oldest", "newest")
	for _, m := range s.Models {
		fmt.Fprintf(&b, "%8d %8d %10d %10d\n", m.Model, m.Games, m.Oldest, m.Newest)
	}
	return b.String()
}

func newReplayShow() *cobra.Command {
	return &cobra.Command{
		Use:   "show DIR GAME",
		Short: "Print a game move by move",
		RunE: func(cmd *cobra.Command, args []string) error {
			number, err := run.ParseGame(args[1])
			if err != nil {
				return err
			}
			recorded, err := run.OpenRun(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer recorded.Close()
			entry, err := recorded.Find(cmd.Context(), number)
			if err != nil {
				return err
			}
			end, err := recorded.Game.Replay(entry.Game.Moves)
			if err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			_, err = fmt.Fprintf(out, "%s\n%s%s\n", gameText(recorded.Game, entry), drawBoard(end, useColour(out)), run.DescribeEnd(entry.Game))
			return err
		},
	}
}

// gameText returns a game's moves with search results.
func gameText(e engine.Game, entry replay.Entry) string {
	g := entry.Game
	var b strings.Builder
	fmt.Fprintf(&b, "game %d of %s, worker %s, model %d, seed %d\n",
		g.Number, e.Info().Name, entry.Worker, g.Model, g.Seed)
	fmt.Fprintf(&b, "%4s %6s %7s %7s  %s\n", "ply", "move", "value", "search", "policy")
	position := e.Start()
	for ply, name := range position.Names(g.Moves) {
		move := game.Stones[ply%2] + " " + name
		if ply < g.Opening {
			fmt.Fprintf(&b, "%4d %6s  opening, at random\n", ply+1, move)
		} else {
			row := ply - g.Opening
			fmt.Fprintf(&b, "%4d %6s %+7.3f %7d  %s\n", ply+1, move, g.Values[row], g.Simulations[row], policyText(position, g, row))
		}
		position, _ = position.Play(g.Moves[ply])
	}
	return b.String()
}

// policyText lists a search's five most likely moves, and the position's weight if not 1.
func policyText(p engine.Position, g *replay.Record, row int) string {
	shares := maps.Collect(g.Policy.Shares(row))
	order := slices.Sorted(maps.Keys(shares))
	slices.SortStableFunc(order, func(a, b game.Action) int { return cmp.Compare(shares[b], shares[a]) })
	var list []string
	for _, a := range order[:min(5, len(order))] {
		list = append(list, fmt.Sprintf("%s %.1f %%", p.Format(a), 100*shares[a]))
	}
	if len(order) == 0 {
		list = append(list, "none")
	}
	if w := g.Weights[row]; w != replay.FullWeight {
		list = append(list, fmt.Sprintf("weight %.2f", float64(w)/replay.FullWeight))
	}
	return strings.Join(list, ", ")
}

func newReplayRepair() *cobra.Command {
	return &cobra.Command{
		Use:   "repair DIR",
		Short: "Rescue the games of a damaged database",
		RunE: func(cmd *cobra.Command, args []string) error {
			out := cmd.OutOrStdout()
			kept, err := run.RepairRun(cmd.Context(), args[0], func(loss error) { fmt.Fprintln(out, oneLine(loss.Error())) })
			if err == nil {
				_, err = fmt.Fprintf(out, "%s: %s saved\n", shown(args[0]), printable.Plural(kept, "game"))
			}
			return err
		},
	}
}

func newReplayExport() *cobra.Command {
	var npz, text string // file names, or empty
	cmd := &cobra.Command{
		Use:   "export DIR [--npz FILE] [--text FILE]",
		Short: "Write the games for NumPy or as text",
		RunE: func(cmd *cobra.Command, args []string) error {
			if npz == "" && text == "" {
				return usageErrorf("nothing to write: name a file with --npz or --text (see %s --help)", cmd.CommandPath())
			}
			if npz != "" && text != "" && filepath.Clean(npz) == filepath.Clean(text) {
				return usageErrorf("--npz and --text are both %s: name two files", npz)
			}
			if err := checkNew(cmd, npz, text); err != nil {
				return err
			}
			ctx, warn := cmd.Context(), newNotices(cmd).warn
			recorded, err := run.OpenRun(ctx, args[0])
			if err != nil {
				return err
			}
			defer recorded.Close()
			games, positions, err := recorded.Count(ctx, func(err error) { warn(fmt.Errorf("%w; it is left out", err)) })
			if err == nil && npz != "" {
				what := printable.Plural(positions, "position") + " of " + printable.Plural(games, "game")
				err = writeFile(cmd, npz, what, func(w io.Writer) error { return recorded.ExportNPZ(ctx, w, positions) })
			}
			if err == nil && text != "" {
				err = writeFile(cmd, text, printable.Plural(games, "game"), func(w io.Writer) error { return recorded.ExportText(ctx, w) })
			}
			return err
		},
	}
	cmd.Flags().StringVar(&npz, "npz", "", "`file` of arrays for NumPy, - for standard output")
	cmd.Flags().StringVar(&text, "text", "", "`file` with a line for each game, - for standard output")
	forceFlag(cmd)
	return cmd
}

package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tengen/bench"
	"tengen/internal/printable"
)

func newBench() *cobra.Command {
	var flags configFlags
	var window time.Duration
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure the speed of this machine",
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, _, err := flags.load(defaultConfigFile)
			if err != nil {
				return err
			}
			if window <= 0 {
				return usageErrorf("--time is %v, but must be above 0", window)
			}
			live := newStatusLine(cmd.ErrOrStderr())
			report, err := bench.Measure(cmd.Context(), cfg, window, live.Set)
			live.Clear()
			if err != nil {
				return err
			}
			return printReport(cmd, report, benchText(report))
		},
	}
	flags.register(cmd, defaultConfigFile)
	cmd.Flags().DurationVar(&window, "time", 3*time.Second, "how long each measurement takes")
	jsonFlag(cmd, "print a JSON object")
	return cmd
}

// benchText returns a report with one figure per line.
func benchText(r *bench.Report) string {
	var w strings.Builder
	fmt.Fprintf(&w, "%s, %s, %s, %s, %s kernels\n\n", r.Game, r.Network, printable.Plural(r.Parameters, "parameter"), printable.Plural(r.Cores, "core"), r.Kernels)
	line := func(what string, value float64, unit string) { fmt.Fprintf(&w, "%-52s %12.0f %s\n", what, value, unit) }
	for _, batch := range slices.Sorted(maps.Keys(r.EvaluationsPerSecond)) {
		line(fmt.Sprintf("evaluations, batch %d", batch), r.EvaluationsPerSecond[batch],
			fmt.Sprintf("/s   %5.0f GFLOP/s, %.0f %% of the peak", r.Gflops[batch], 100*r.Gflops[batch]/r.PeakGflops))
	}
	fmt.Fprintln(&w, "  (of direct convolutions; Winograd's algorithm needs fewer operations, so more than 100 % is possible)")
	for _, batch := range slices.Sorted(maps.Keys(r.DeviceEvaluationsPerSecond)) {
		line(fmt.Sprintf("evaluations on %s, batch %d", printable.Text(r.Device, 24), batch), r.DeviceEvaluationsPerSecond[batch], "/s")
	}
	if r.DeviceProblem != "" {
		fmt.Fprintf(&w, "  (%s)\n", printable.Text(r.DeviceProblem, 300))
	}
	line(fmt.Sprintf("training samples, batch %d", r.TrainBatch), r.TrainSamplesPerSecond, "/s")
	if r.DeviceTrainSamples > 0 {
		line(fmt.Sprintf("training samples on %s", printable.Text(r.Device, 24)), r.DeviceTrainSamples, "/s")
	}
	line("search alone, one core: simulations", r.FreeSimulationsPerSecond, "/s")
	line("search with the network, one core: simulations", r.SearchSimulationsPerSecond, "/s")
	line("self-play: simulations", r.SimulationsPerSecond, "/s")
	line(fmt.Sprintf("self-play: games of %.0f moves, up to %d simulations", r.SelfplayMovesPerGame, r.SelfplaySimulationsPerMove),
		r.SelfplayGamesPerHour, "/h")
	line("self-play: found in the cache", 100*r.SelfplayCacheHitRate, "%")
	fmt.Fprintf(&w, "\nan iteration takes %.1f s to play and %.1f s to learn from\n", r.Iteration.Play, r.Iteration.Learn)
	return w.String()
}

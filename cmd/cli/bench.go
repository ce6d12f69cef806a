package cli

import (
	"time"

	"github.com/spf13/cobra"

	"tengen/run"
)

func newBench() *cobra.Command {
	var flags configFlags
	var window time.Duration
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure the speed of this machine",
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := flags.load(defaultConfigFile)
			if err != nil {
				return err
			}
			if window <= 0 {
				return usageErrorf("--time is %v, it must be above 0", window)
			}
			e, err := run.Open(cfg.Game)
			if err != nil {
				return err
			}
			live := newStatusLine(cmd.ErrOrStderr())
			report, err := e.Bench(cmd.Context(), cfg, window, live.Set)
			live.Clear()
			if err != nil {
				return err
			}
			return printReport(cmd, report, report.Text())
		},
	}
	flags.register(cmd, defaultConfigFile)
	cmd.Flags().DurationVar(&window, "time", 3*time.Second, "how long each measurement takes")
	jsonFlag(cmd, "print a JSON object")
	return cmd
}

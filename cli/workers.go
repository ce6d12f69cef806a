package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tengen/internal/printable"
	"tengen/run"
)

func newWorkersAdd() *cobra.Command {
	return &cobra.Command{
		Use:   "add DIR NAME",
		Short: "Give a worker a token",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := run.AddWorker(args[0], args[1])
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "%s may play for %s. Keep its token in the file \"token\" on its machine, and run there\n  %s %s\n",
				args[1], shown(args[0]), called, shown(c.Command))
			_, err = fmt.Fprint(cmd.OutOrStdout(), c.Token)
			return err
		},
	}
}

func newWorkersList() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list DIR",
		Short: "List the workers, their tokens and their games",
		RunE: func(cmd *cobra.Command, args []string) error {
			workers, err := run.ListWorkers(cmd.Context(), args[0])
			if err != nil && len(workers) == 0 {
				return err
			}
			var text strings.Builder
			for _, w := range workers {
				state := "added " + w.Added.Local().Format(time.DateTime)
				if !w.Revoked.IsZero() {
					state = "revoked " + w.Revoked.Local().Format(time.DateTime)
					if w.Reason != "" {
						state += ": " + oneLine(w.Reason)
					}
				}
				games := "no games yet"
				if err != nil {
					games = "games unknown"
				} else if w.Games > 0 {
					games = fmt.Sprintf("games: %d, last %s", w.Games, w.Last.Local().Format(time.DateTime))
				}
				fmt.Fprintf(&text, "%-20s  %s; %s\n", shown(w.Name), state, games)
			}
			if len(workers) == 0 {
				fmt.Fprintf(&text, "no worker has a token: `%s workers add %s NAME` makes one\n", called, printable.Word(args[0]))
			}
			return errors.Join(printReport(cmd, workers, text.String()), err)
		},
	}
	jsonFlag(cmd, "print a JSON array")
	return cmd
}

func newWorkersRevoke() *cobra.Command {
	return &cobra.Command{
		Use:   "revoke DIR NAME",
		Short: "Revoke a worker's token",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := run.RevokeWorker(args[0], args[1]); err != nil {
				return err
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s may no longer play for %s\n", shown(args[1]), shown(args[0]))
			return err
		},
	}
}

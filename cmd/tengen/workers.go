package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tengen/engine"
)

func newWorkers() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "workers",
		Short: "Say who may play for a run",
		Long: "workers gives workers on other machines tokens of their own, and takes them back. Without it, whoever has the file\n" +
			"token of the run directory may play. All of it works while the run trains.",
		Args: noArgs,
		RunE: showHelp,
	}
	cmd.AddCommand(newWorkersAdd(), newWorkersList(), newWorkersRevoke())
	return cmd
}

func newWorkersAdd() *cobra.Command {
	return &cobra.Command{
		Use:   "add DIR NAME",
		Short: "Give a worker a token of its own",
		Long: "add makes a token for one worker of the run in DIR, and prints it with the command for the other machine. The run keeps\n" +
			"only a hash of the token, so it cannot be printed again: a worker that has lost it is revoked and added anew.",
		Example:           "  tengen workers add checkpoints/mine gpu-1",
		Args:              exactArgs("DIR", "NAME"),
		ValidArgsFunction: completeRuns(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := engine.AddWorker(args[0], args[1])
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s may play for %s. On its machine, where the token is kept in a file:\n"+
				"  (umask 077; echo %s > token)\n  %s\n", args[1], args[0], c.Token, c.Command)
			return err
		},
	}
}

func newWorkersList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:               "list DIR",
		Short:             "List the workers with tokens of their own, and those that are kept out",
		Args:              exactArgs("DIR"),
		ValidArgsFunction: completeRuns(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			workers, err := engine.ListWorkers(args[0])
			if err != nil {
				return err
			}
			var text strings.Builder
			for _, w := range workers {
				state := "may play since " + w.Added.Local().Format(time.DateTime)
				if !w.Revoked.IsZero() {
					state = "revoked since " + w.Revoked.Local().Format(time.DateTime)
				}
				fmt.Fprintf(&text, "%-20s  %s\n", w.Name, state)
			}
			return printReport(cmd.OutOrStdout(), asJSON, workers, text.String())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return cmd
}

func newWorkersRevoke() *cobra.Command {
	return &cobra.Command{
		Use:   "revoke DIR NAME",
		Short: "Keep a worker out from now on",
		Long: "revoke takes a worker's token back: the worker is cut off within seconds, and none of its later games is taken. NAME\n" +
			"is that of a worker that was added, or one as the progress of the run shows it.",
		Example:           "  tengen workers revoke checkpoints/mine gpu-1",
		Args:              exactArgs("DIR", "NAME"),
		ValidArgsFunction: completeRuns(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			own, err := engine.RevokeWorker(args[0], args[1])
			if err != nil {
				return err
			}
			text := fmt.Sprintf("%s may not play for %s any more\n", args[1], args[0])
			if !own {
				text += "it has no token of its own: to keep it from coming back under another name, put another text into the run's token file\n"
			}
			_, err = fmt.Fprint(cmd.OutOrStdout(), text)
			return err
		},
	}
}

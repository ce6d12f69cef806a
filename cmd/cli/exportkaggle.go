package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"tengen/doors/kaggle"
	"tengen/run"
)

func newExportKaggle() *cobra.Command {
	var submission kaggle.Submission
	var pure bool
	cmd := &cobra.Command{
		Use:   "kaggle SPEC FILE",
		Short: "Write an agent for ConnectX to submit",
		Long: "kaggle packs an agent for ConnectX, Kaggle's Connect Four on boards of any\n" +
			"size, as FILE, a .tar.gz: main.py, this program, and the model of the player\n" +
			"SPEC. Python, without any packages, is all that it needs. With --pure, main.py\n" +
			"is alone in the archive and plays by a small search in Python. docs/interfaces/kaggle.md\n" +
			"has the details.",
		Example: "  tengen export kaggle net:checkpoints/connect4 submission.tar.gz\n" +
			"  tengen export kaggle --pure submission.tar.gz",
		Args: func(cmd *cobra.Command, args []string) error {
			if pure {
				return exactArgs("FILE")(cmd, args)
			}
			return exactArgs("SPEC", "FILE")(cmd, args)
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 || pure {
				return nil, cobra.ShellCompDirectiveDefault
			}
			return run.SpecsHere(), cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			file := args[len(args)-1]
			if pure && submission.Binary != "" {
				return usageErrorf("--pure packs no program, so --binary means nothing with it")
			}
			if !pure {
				spec, err := parseEngine("SPEC", args[0])
				if err != nil {
					return err
				}
				submission.Player = &spec
			}
			if err := submission.Save(file); err != nil {
				return err
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s: an agent to submit\n", file)
			return err
		},
	}
	cmd.Flags().StringVar(&submission.Binary, "binary", "", "`file` of the program to pack (default this one)")
	cmd.Flags().BoolVar(&pure, "pure", false, "pack main.py alone")
	return cmd
}

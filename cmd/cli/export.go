package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"tengen/doors/kaggle"
	"tengen/players"
	"tengen/run"
)

func newExport() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write metrics, a network or an agent for other programs",
		Long: "export writes for other programs what a run has measured, iteration by\n" +
			"iteration, or its network, even while the run trains, or packs an agent. (tengen\n" +
			"replay export writes the games of a run.)",
	}
	cmd.AddCommand(newExportTensorboard(), newExportONNX(), newExportKaggle())
	return cmd
}

func newExportTensorboard() *cobra.Command {
	return &cobra.Command{
		Use:   "tensorboard DIR|FILE OUT",
		Short: "Write event files for TensorBoard",
		Long: "tensorboard writes the metrics of a run directory, or of a file as its\n" +
			"metrics.jsonl, as an event file into the folder OUT, which tensorboard\n" +
			"--logdir shows. The step is the number of self-play games. A run with the key\n" +
			"train.tensorboard writes event files meanwhile.",
		Example: "  tengen export tensorboard checkpoints/connect4 curves/connect4",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkFolder(args[1]); err != nil {
				return err
			}
			n, err := run.ExportTensorboard(args[0], args[1])
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", args[1], run.Plural(n, "iteration"))
			return err
		},
	}
}

func newExportONNX() *cobra.Command {
	var options run.ONNXExport
	var out outputs
	cmd := &cobra.Command{
		Use:   "onnx net:PATH FILE",
		Short: "Write a network as an ONNX file",
		Long: "onnx writes a network for ONNX Runtime, browsers and others that read ONNX.\n" +
			"PATH is a model file, a run directory, of which it takes the newest model, or\n" +
			"the name of a model that comes with tengen. It prints the inputs and outputs\n" +
			"with their shapes. docs/interfaces/onnx.md says what they mean, and how to use\n" +
			"them in Python and JavaScript.\n\n" +
			"A network that plays on boards of all sizes is written for the board of\n" +
			"--game, or for all with --any-size.",
		Example: "  tengen export onnx net:checkpoints/connect4 connect4.onnx\n" +
			"  tengen export onnx net:mnk-8x8x5 gomoku.onnx --any-size",
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveDefault
			}
			return run.NetworksHere(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			spec, err := players.ParseSpec(args[0])
			if err != nil || spec.Kind != players.KindNet || spec.Limit != players.Unset {
				return usageErrorf("%q is not the name of a network: write net:PATH, without simulations or a time", args[0])
			}
			if err := out.check(args[1]); err != nil {
				return err
			}
			if options.Model, err = identify(cmd, spec.Path); err != nil {
				return err
			}
			graph, err := run.ExportONNX(options)
			if err != nil {
				return err
			}
			return out.write(cmd, args[1], graph.String(), whole(graph.Encode()))
		},
	}
	out.register(cmd)
	gameFlag(cmd, &options.Game, "`game` to play, for a network of all sizes (default: the one it has learned)")
	cmd.Flags().IntVar(&options.Batch, "batch", 0, "positions at once; 0: any `number`")
	cmd.Flags().BoolVar(&options.AnySize, "any-size", false, "leave the size of the board open")
	return cmd
}

func newExportKaggle() *cobra.Command {
	var submission kaggle.Submission
	var out outputs
	var pure bool
	cmd := &cobra.Command{
		Use:   "kaggle SPEC FILE",
		Short: "Write an agent for ConnectX to submit",
		Long: "kaggle packs an agent for ConnectX, Kaggle's Connect Four on boards of any\n" +
			"size, as FILE, a .tar.gz: main.py, this program, and the model of the player\n" +
			"SPEC. Python, without any packages, is all that it needs. With --pure, main.py\n" +
			"is alone in the archive and plays by a small search in Python.\n" +
			"docs/interfaces/kaggle.md has the details.",
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
			if err := out.check(file); err != nil {
				return err
			}
			if !pure {
				spec, err := parseEngine(args[0])
				if err != nil {
					return usageErrorf("SPEC: %w", err)
				}
				if spec.Kind == players.KindNet {
					if spec.Path, err = identify(cmd, spec.Path); err != nil {
						return fmt.Errorf("player %q: %w", args[0], err)
					}
				}
				submission.Player = &spec
			}
			archive, err := submission.Archive()
			if err != nil {
				return err
			}
			return out.write(cmd, file, "an agent to submit", whole(archive))
		},
	}
	out.register(cmd)
	cmd.Flags().StringVar(&submission.Binary, "binary", "", "`file` of the program to pack (default this one)")
	cmd.Flags().BoolVar(&pure, "pure", false, "pack main.py alone")
	return cmd
}

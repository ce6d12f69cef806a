package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"tengen/doors/tensorboard"
	"tengen/doors/web"
	"tengen/engine"
	"tengen/internal/printable"
	"tengen/players"
	"tengen/run"
)

func newExportReport() *cobra.Command {
	var axis string
	cmd := &cobra.Command{
		Use:   "report DIR... FILE",
		Short: "Write runs' charts as an HTML page",
		RunE: func(cmd *cobra.Command, args []string) error {
			last := len(args) - 1
			dirs, file := args[:last], args[last]
			if err := checkNew(cmd, file); err != nil {
				return err
			}
			page, err := web.Report(dirs, axis, newNotices(cmd).warn)
			if err != nil {
				return err
			}
			return writeFile(cmd, file, printable.Plural(len(dirs), "run"), whole(page))
		},
	}
	forceFlag(cmd)
	choiceFlag(cmd, &axis, "over", web.Axes[0], "horizontal axis: "+strings.Join(web.Axes, ", "), web.Axes...)
	return cmd
}

func newExportTensorboard() *cobra.Command {
	return &cobra.Command{
		Use:   "tensorboard DIR|FILE OUT",
		Short: "Write event files for TensorBoard",
		RunE: func(cmd *cobra.Command, args []string) error {
			n, err := tensorboard.Export(args[1], args[0])
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", args[1], printable.Plural(n, "iteration"))
			return err
		},
	}
}

// networkName returns PATH of net:PATH.
func networkName(text string) (string, error) {
	spec, err := players.ParseSpec(text)
	if err != nil || spec.Kind != players.KindNet || spec.Limit != players.Unset {
		return "", usageErrorf("%q is not the name of a network: write net:PATH, without simulations or a time", text)
	}
	return spec.Path, nil
}

func newExportONNX() *cobra.Command {
	var options run.ONNXExport
	cmd := &cobra.Command{
		Use:   "onnx net:PATH FILE",
		Short: "Write a network as an ONNX file",
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveDefault
			}
			return engine.NetworksHere(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			name, err := networkName(args[0])
			if err != nil {
				return err
			}
			if err := checkNew(cmd, args[1]); err != nil {
				return err
			}
			options.Model = name
			graph, id, err := run.ExportONNX(options)
			if id.Name != "" {
				fmt.Fprintln(cmd.ErrOrStderr(), id)
			}
			if err != nil {
				return err
			}
			return writeFile(cmd, args[1], graph.String(), whole(graph.Encode()))
		},
	}
	forceFlag(cmd)
	gameFlag(cmd, &options.Game, "`game`, for a network of any size (default: the one it learned)")
	cmd.Flags().IntVar(&options.Batch, "batch", 0, "positions at once; 0: any `number`")
	cmd.Flags().BoolVar(&options.AnySize, "any-size", false, "allow any board size")
	return cmd
}

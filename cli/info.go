package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"tengen/engine"
	"tengen/internal/printable"
	"tengen/run"
)

func newInfo() *cobra.Command {
	var devices bool
	cmd := &cobra.Command{
		Use:   "info [MODEL|DIR|GAME]",
		Short: "Describe a model, a run or a game, or list what there is",
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return append(engine.NetworksHere(), engine.Boards()...), cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			var facts run.Facts
			switch {
			case devices && len(args) > 0:
				return usageErrorf("--devices lists the graphics cards: drop it or %s", args[0])
			case devices:
				facts, err = run.Devices()
			case len(args) > 0:
				facts, err = run.Info(args[0])
			default:
				facts = run.Listing()
			}
			if err != nil {
				return err
			}
			return printReport(cmd, factsJSON(facts), factsText(facts))
		},
	}
	cmd.Flags().BoolVar(&devices, "devices", false, "list the graphics cards, and whether they compute as this processor does")
	jsonFlag(cmd, "print a JSON object")
	return cmd
}

// factsText returns facts as a table. Lines are wrapped at 80 columns, and a label is printed once.
func factsText(f run.Facts) string {
	var b strings.Builder
	last := ""
	for _, fact := range f {
		label := fact[0]
		if label == last {
			label = ""
		}
		last = fact[0]
		b.WriteString(wrapped(fmt.Sprintf("%-11s ", label), printable.Text(fact[1], 1000)))
	}
	return b.String()
}

// wrapped returns text in lines of 80 columns, the first behind label and the others behind as many spaces.
func wrapped(label, text string) string {
	const width = 80
	var b strings.Builder
	line, space := label, ""
	for _, word := range strings.Fields(text) {
		if space != "" && len(line)+1+len(word) > width {
			fmt.Fprintln(&b, line)
			line, space = strings.Repeat(" ", len(label)), ""
		}
		line += space + word
		space = " "
	}
	fmt.Fprintln(&b, line)
	return b.String()
}

// factsJSON holds the texts of each label.
func factsJSON(f run.Facts) map[string][]string {
	object := map[string][]string{}
	for _, fact := range f {
		object[fact[0]] = append(object[fact[0]], fact[1])
	}
	return object
}

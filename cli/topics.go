package cli

import (
	"embed"
	"strings"

	"github.com/spf13/cobra"

	"tengen/engine"
)

//go:embed help
var helpTexts embed.FS

// setHelp reads a command's description and examples from help/NAME.txt, if the file exists. NAME is the command's path
// without tengen, joined by hyphens.
func setHelp(cmd *cobra.Command) {
	name := strings.TrimPrefix(strings.ReplaceAll(cmd.CommandPath(), " ", "-"), "tengen-")
	text, err := helpTexts.ReadFile("help/" + name + ".txt")
	if err != nil {
		return // the command has only its Short line
	}
	games := "  " + strings.Join(engine.Families(), "\n  ")
	long, examples, _ := strings.Cut(strings.ReplaceAll(string(text), "{games}", games), "Examples:\n")
	cmd.Long, cmd.Example = strings.TrimSpace(long), strings.TrimRight(examples, "\n")
}

// addTopics adds the help topics, except config, which is a command.
func addTopics(root *cobra.Command) {
	for _, t := range [][2]string{
		{"players", "How to name players: SPEC"},
		{"games", "How to name games"},
		{"positions", "How to write positions"},
		{"progress", "What train prints, and how to judge it"},
	} {
		root.AddCommand(&cobra.Command{Use: t[0], Short: t[1]})
	}
}

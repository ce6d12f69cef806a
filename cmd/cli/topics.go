package cli

import (
	"embed"
	"strings"

	"github.com/spf13/cobra"

	"tengen/engine"
)

//go:embed help
var helpTexts embed.FS

// helpText returns the text of a help topic.
func helpText(topic string) string {
	text, err := helpTexts.ReadFile("help/" + topic + ".txt")
	if err != nil {
		panic(err) // the topics are fixed
	}
	games := "  " + strings.Join(engine.Families(), "\n  ")
	return strings.TrimSpace(strings.ReplaceAll(string(text), "{games}", games))
}

// addTopics adds the help topics, except config, which is a command.
func addTopics(root *cobra.Command) {
	for _, t := range [][2]string{
		{"players", "How to name players: SPEC"},
		{"games", "How to name games"},
		{"positions", "How to write positions"},
		{"progress", "What train prints, and how to judge it"},
	} {
		root.AddCommand(&cobra.Command{Use: t[0], Short: t[1], Long: helpText(t[0])})
	}
}

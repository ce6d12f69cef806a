package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"tengen/cli"
)

// commandsPage returns docs/commands.md: the help of every command and topic, 80 columns wide.
func commandsPage(string) ([]byte, error) {
	terminal := os.Stdout
	os.Stdout = nil // the help is as wide as the terminal
	defer func() { os.Stdout = terminal }()
	var page bytes.Buffer
	page.WriteString("# Commands\n\nThis page holds what `tengen help` prints. `go run -C lab ./gen` writes it.\n")
	err := addHelp(&page, cli.NewRoot())
	return page.Bytes(), err
}

// addHelp adds the help of a command and of those below it.
func addHelp(page *bytes.Buffer, cmd *cobra.Command) error {
	var text bytes.Buffer
	cmd.SetOut(&text)
	if err := cmd.Help(); err != nil {
		return err
	}
	fmt.Fprintf(page, "\n## %s\n\n```text\n%s\n```\n", cmd.CommandPath(), strings.TrimSpace(text.String()))
	for _, sub := range cmd.Commands() {
		if sub.Name() == "help" || cmd.Name() == "completion" {
			continue
		}
		if err := addHelp(page, sub); err != nil {
			return err
		}
	}
	return nil
}

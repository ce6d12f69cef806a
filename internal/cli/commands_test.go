package cli

import (
	"bytes"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"tengen/engine"
)

const commandsPage = "../../docs/commands.md"

// docs/commands.md has the help of every command and topic. The flag -update writes it.
func TestCommandsPage(t *testing.T) {
	var page bytes.Buffer
	page.WriteString("# Commands\n\nThis page holds what `tengen help` prints. `go test ./internal/cli -run CommandsPage -update` writes it.\n")
	var add func(cmd *cobra.Command)
	add = func(cmd *cobra.Command) {
		var text bytes.Buffer
		cmd.SetOut(&text)
		if err := cmd.Help(); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(text.String()) {
			if len([]rune(line)) > 81 {
				t.Errorf("%s --help is wider than 80 columns: %s", cmd.CommandPath(), line)
			}
		}
		fmt.Fprintf(&page, "\n## %s\n\n```text\n%s\n```\n", cmd.CommandPath(), strings.TrimSpace(text.String()))
		for _, sub := range cmd.Commands() {
			if sub.Name() != "help" && cmd.Name() != "completion" {
				add(sub)
			}
		}
	}
	before := os.Stdout
	os.Stdout = nil // not a terminal: 80 columns
	defer func() { os.Stdout = before }()
	add(newRoot())
	if *update {
		if err := os.WriteFile(commandsPage, page.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(readFile(t, commandsPage), page.Bytes()) {
		t.Errorf("%s is out of date: run go test ./internal/cli -run CommandsPage -update", commandsPage)
	}
}

// docs/commands.md and config.yaml have every game.
func TestGamesAreDocumented(t *testing.T) {
	page, config := string(readFile(t, commandsPage)), string(readFile(t, "../../config.yaml"))
	for _, game := range engine.GameNames() {
		if !strings.Contains(page, "\n  "+game) {
			t.Errorf("%s has no %s", commandsPage, game)
		}
		if !strings.Contains(config, game) {
			t.Errorf("config.yaml has no %s", game)
		}
	}
}

func TestCommitText(t *testing.T) {
	revision := debug.BuildSetting{Key: "vcs.revision", Value: "0123456789abcdef"}
	for want, settings := range map[string][]debug.BuildSetting{
		"":                                    nil,
		" (commit 0123456789ab)":              {revision, {Key: "vcs.modified", Value: "false"}},
		" (commit 0123456789ab with changes)": {{Key: "vcs.modified", Value: "true"}, revision},
	} {
		if got := commitText(settings); got != want {
			t.Errorf("%v: %q, want %q", settings, got, want)
		}
	}
}

package cli

import (
	"bytes"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"tengen/engine"
)

const commandsPage = "../docs/commands.md"

// No command's help is wider than 80 columns.
func TestHelpFits(t *testing.T) {
	before := os.Stdout
	os.Stdout = nil // not a terminal: 80 columns
	defer func() { os.Stdout = before }()
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		var text bytes.Buffer
		cmd.SetOut(&text)
		if err := cmd.Help(); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(text.String()) {
			if len([]rune(strings.TrimRight(line, "\n"))) > 80 {
				t.Errorf("%s --help is wider than 80 columns: %s", cmd.CommandPath(), line)
			}
		}
		for _, sub := range cmd.Commands() {
			if sub.Name() != "help" && cmd.Name() != "completion" {
				check(sub)
			}
		}
	}
	check(NewRoot())
}

// What commands say of their flags does not depend on the machine, as the pages of a release must not.
func TestHelpIsTheSameOnAllMachines(t *testing.T) {
	cores := runtime.GOMAXPROCS(0)
	here := NewRoot()
	runtime.GOMAXPROCS(cores + 1)
	defer runtime.GOMAXPROCS(cores)
	var check func(here, there *cobra.Command)
	check = func(here, there *cobra.Command) {
		if here.UsageString() != there.UsageString() {
			t.Errorf("with a core more, %q says\n%s\nnot\n%s", here.CommandPath(), there.UsageString(), here.UsageString())
		}
		for i, c := range here.Commands() {
			check(c, there.Commands()[i])
		}
	}
	check(here, NewRoot())
}

// docs/commands.md and config.yaml have every game.
func TestGamesAreDocumented(t *testing.T) {
	page, config := string(readFile(t, commandsPage)), string(readFile(t, "../config.yaml"))
	for _, game := range engine.GameNames() {
		if !strings.Contains(page, "\n  "+game) {
			t.Errorf("%s has no %s", commandsPage, game)
		}
		if !strings.Contains(config, game) {
			t.Errorf("config.yaml has no %s", game)
		}
	}
}

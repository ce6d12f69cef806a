package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"tengen/cli"
	"tengen/run/games"
)

func init() { games.Register() }

// The project has the files that its code says.
func TestFilesAreUpToDate(t *testing.T) {
	for name, generate := range generated {
		want, err := generate("../..")
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join("../..", name))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is out of date (%v): go run -C lab ./gen", name, err)
		}
	}
}

// Every command has a manual page.
func TestManual(t *testing.T) {
	dir := t.TempDir()
	if err := writeManual(dir, "v1.2.3"); err != nil {
		t.Fatal(err)
	}
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		page, err := os.ReadFile(filepath.Join(dir, strings.ReplaceAll(cmd.CommandPath(), " ", "-")+".1"))
		if err != nil {
			t.Error(err)
		} else if !strings.Contains(string(page), cmd.Short) || !strings.Contains(string(page), "v1.2.3") {
			t.Errorf("the page of %q does not say %q and the version", cmd.CommandPath(), cmd.Short)
		}
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() {
				check(c)
			}
		}
	}
	check(cli.NewRoot())
}

package cli

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"tengen/run/runtest"
)

// The status line begins with the score, since a terminal cuts long names.
func TestLadderStatus(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tiny")
	if err := os.CopyFS(dir, os.DirFS(runtest.Run(t))); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "ladder", dir, "--games", "2", "--simulations", "2", "--against", "random")
	cmd.Env = append(os.Environ(), "TERM=xterm")
	person := startInTerminal(t, cmd)
	output, _ := io.ReadAll(person) // an error once the command has ended
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, output)
	}
	if want := `\rmatch 1/\d+  score \d+\.\d %: net:`; !regexp.MustCompile(want).Match(output) {
		t.Errorf("no %s in\n%q", want, output)
	}
}

package cli

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

const sabaki = "testdata/sabaki"

// Sabaki's own client plays ten games of tengen against itself.
func TestSabaki(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("there is no node: install Node.js")
	}
	if _, err := os.Stat(sabaki + "/node_modules"); err != nil {
		t.Skipf("Sabaki's client is not installed: (cd cli/%s && npm ci)", sabaki)
	}
	play := exec.CommandContext(t.Context(), "node", "play.mjs")
	play.Dir = sabaki
	out, err := play.CombinedOutput()
	t.Logf("%s", out)
	if err != nil || strings.Count(string(out), "\n") != 10 {
		t.Error(err)
	}
}

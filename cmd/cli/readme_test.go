package cli

import (
	"strings"
	"testing"

	"tengen/engine"
)

// The README lists every command, and with config.yaml every game.
func TestReadmeIsComplete(t *testing.T) {
	readme, config := string(readFile(t, "../../README.md")), string(readFile(t, "../../config.yaml"))
	for _, c := range newRoot().Commands() {
		if name := "| `tengen " + c.Name(); !strings.Contains(readme, name) {
			t.Errorf("README.md has no row %s", name)
		}
	}
	for _, game := range engine.GameNames() {
		if !strings.Contains(readme, "`"+game) {
			t.Errorf("README.md has no `%s`", game)
		}
		if !strings.Contains(config, game) {
			t.Errorf("config.yaml has no %s", game)
		}
	}
}

package cli

import (
	"path/filepath"
	"strings"
	"testing"
)

// A new game is called as its folder, unless it gets a name. What is missing to build it is a warning.
func TestGameNew(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "hop")
	for name, args := range map[string][]string{"hop": {dir}, "leap": {dir + "2", "leap"}} {
		code, out, errOut := cli(t.Context(), strings.NewReader(""), append([]string{"game", "new", "--source", ".."}, args...)...)
		if code != exitOK || errOut != "" || !strings.HasSuffix(out, "go run . game check "+name+"\n") {
			t.Errorf("%s: exit status %d, %s%s", name, code, out, errOut)
		}
	}
	t.Setenv("PATH", "")
	code, _, errOut := cli(t.Context(), strings.NewReader(""), "game", "new", "--source", "..", dir+"3", "hop")
	if code != exitOK || !strings.Contains(errOut, "warning: without a network, the module cannot be built (exec: ") {
		t.Errorf("without Go: exit status %d, %s", code, errOut)
	}
}

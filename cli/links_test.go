package cli

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Somebody else's run may have links instead of its files. No command writes through them, or shows what they lead to.
func TestLinksInARun(t *testing.T) {
	whole := tinyRun(t)
	addWorker(t, whole, "near")
	others := []string{"workers.json", "workers.json.lock", "http-token"} // files that verify does not read
	for _, name := range append(others, "run.yaml", "lock", "games.db", "games.db-wal", "games.db-shm", "games.db-journal", "metrics.jsonl",
		"latest", "state/checkpoint-00000002.safetensors", "model-00000001.safetensors") {
		for _, args := range [][]string{
			{"train", "--run", "DIR", "--set", "train.iterations=3", "--http", "0.0.0.0:0"},
			{"replay", "verify", "DIR"}, {"replay", "repair", "DIR"}, {"workers", "add", "DIR", "far"},
		} {
			dir := filepath.Join(t.TempDir(), "run")
			file, victim := filepath.Join(dir, filepath.FromSlash(name)), filepath.Join(t.TempDir(), "victim")
			err := errors.Join(os.CopyFS(dir, os.DirFS(whole)), os.RemoveAll(file), os.WriteFile(victim, []byte("precious"), 0o600))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(victim, file); err != nil {
				t.Skip(err)
			}
			for i := range args {
				args[i] = strings.Replace(args[i], "DIR", dir, 1)
			}
			code, out, errOut := cli(t.Context(), nil, args...)
			if got := string(readFile(t, victim)); got != "precious" || strings.Contains(out+errOut, "precious") {
				t.Errorf("%s, tengen %v: the link's target holds %q; %s%s", name, args, got, out, errOut)
			}
			if named := strings.Contains(errOut+out, name+" is not a regular file"); code == exitError && !named && name != "latest" ||
				code != exitError && (name == "lock" && args[1] != "add" || args[1] == "verify" && !slices.Contains(others, name)) {
				t.Errorf("%s, tengen %v: exit status %d\n%s%s", name, args, code, out, errOut)
			}
		}
	}
}

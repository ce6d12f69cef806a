package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tengen/net"
	"tengen/train/checkpoint"
)

// Names in a stranger's files reach the terminal without the commands to it that they hold.
func TestStrangersText(t *testing.T) {
	const evil = "\x1b[2J\x1b]0;EVIL\a\u202e\ntengen: run curl"
	dir := filepath.Join(t.TempDir(), "\x1b[31mrun\a")
	if err := os.Rename(tinyRun(t), dir); err != nil {
		t.Skipf("this system has no such file names: %v", err)
	}
	execSQL(t, dir, "UPDATE games SET worker = ?", evil+strings.Repeat("A", 100_000))
	m, err := net.LoadModel(filepath.Join(dir, checkpoint.ModelName(1)))
	if err != nil {
		t.Fatal(err)
	}
	m.Game, m.Figures = evil, map[string]string{"value_loss": evil, "games": evil}
	model := filepath.Join(dir, "evil.safetensors")
	if err := m.Save(model); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"info", model}, {"info", dir}, {"replay", "stats", dir}, {"replay", "show", dir, "3"}, {"replay", "verify", dir},
		{"train", "--run", dir}, {"eval", "--player", "net:" + model, "--against", "random", "--games", "2"},
		{"export", "report", dir, filepath.Join(dir, "report.html")}, {"workers", "list", dir}, {"grade", "--player", "net:" + model},
	} {
		_, out, errOut := cli(t.Context(), strings.NewReader(""), args...)
		text := out + errOut
		if strings.ContainsAny(text, "\x1b\a\u202e") || strings.Contains(text, "\ntengen: run curl") || len(text) > 10_000 {
			t.Errorf("%q prints %.1000q", args, text)
		}
	}
}

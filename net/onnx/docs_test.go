package onnx_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"tengen/net/onnx"
)

// The programs of docs/onnx.md print what it says.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/onnx.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := make(map[string]string)
	for _, m := range regexp.MustCompile("(?s)```([a-z]+)\n(.*?)```\n").FindAllStringSubmatch(string(text), -1) {
		blocks[m[1]] = m[2]
	}
	ort, err := filepath.Abs(ortFolder)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	g, err := onnx.New(pretrained(t, "checkpoints/pretrained/connect4.safetensors"), onnx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	save(t, filepath.Join(dir, "connect4.onnx"), g.Encode())
	run := func(t *testing.T, name string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PYTHONPATH="+ort, "PYTHONDONTWRITEBYTECODE=1") // where onnxruntime.py is
		out, err := cmd.CombinedOutput()
		if err != nil || string(out) != blocks["text"] {
			t.Errorf("%v: %s\nwant %s", err, out, blocks["text"])
		}
	}
	t.Run("JavaScript", func(t *testing.T) {
		needONNXRuntime(t)
		if err := os.Symlink(filepath.Join(ort, "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
			t.Fatal(err)
		}
		save(t, filepath.Join(dir, "play.mjs"), []byte(blocks["js"]))
		run(t, "node", "play.mjs")
	})
	t.Run("Python", func(t *testing.T) {
		needONNXRuntime(t)
		python := pythonWithONNX(t) // which needs numpy itself
		save(t, filepath.Join(dir, "play.py"), []byte(blocks["python"]))
		run(t, python, "play.py")
	})
}

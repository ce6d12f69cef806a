package onnx_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/net"
)

// The programs of docs/interfaces/onnx.md print what it says.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/interfaces/onnx.md")
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
	m := pretrained(t, "connect4.safetensors")
	g, err := m.ONNX(net.ONNXOptions{})
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
	t.Run("Go", func(t *testing.T) {
		if said := evaluated(t, m.Weights, 4, 4, 3, 5, 3); said != blocks["text"] {
			t.Errorf("%s\nwant %s", said, blocks["text"])
		}
	})
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

// evaluated is what the programs print, by package net, for the position of Connect Four after moves to columns counted
// from 1.
func evaluated(t *testing.T, w *net.Weights, columns ...game.Action) string {
	t.Helper()
	s := connect4.Standard().Start()
	for _, column := range columns {
		s = s.Play(column - 1)
	}
	policy, values := make([]float32, w.Shape.Actions), make([]float32, 1)
	evaluator := net.NewEvaluator[connect4.State](w, 1)
	if err := evaluator.Evaluate([]connect4.State{s}, [][]float32{policy}, values); err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	for move, share := range policy {
		fmt.Fprintf(&lines, "%d: %.3f\n", move+1, share)
	}
	fmt.Fprintf(&lines, "value: %.3f\n", values[0])
	return lines.String()
}

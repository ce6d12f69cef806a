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

// The programs onnx.py and onnx.mjs print what docs/interfaces/onnx.md says.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/interfaces/onnx.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```text\n(.*?)```\n").FindStringSubmatch(string(text))
	if block == nil {
		t.Fatal("the page has no block of text")
	}
	want := block[1]
	programs, err := filepath.Abs("../../examples/programs")
	if err != nil {
		t.Fatal(err)
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
		if err != nil || string(out) != want {
			t.Errorf("%v: %s\nwant %s", err, out, want)
		}
	}
	t.Run("Go", func(t *testing.T) {
		if said := evaluated(t, m.Weights, 4, 4, 3, 5, 3); said != want {
			t.Errorf("%s\nwant %s", said, want)
		}
	})
	t.Run("JavaScript", func(t *testing.T) {
		needONNXRuntime(t)
		if err := os.Symlink(filepath.Join(ort, "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
			t.Fatal(err)
		}
		program, err := os.ReadFile(filepath.Join(programs, "onnx.mjs")) // copied, since node looks for modules beside it
		if err != nil {
			t.Fatal(err)
		}
		save(t, filepath.Join(dir, "onnx.mjs"), program)
		run(t, "node", "onnx.mjs")
	})
	t.Run("Python", func(t *testing.T) {
		needONNXRuntime(t)
		python := pythonWithONNX(t) // which needs numpy itself
		run(t, python, filepath.Join(programs, "onnx.py"))
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

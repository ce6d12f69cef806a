package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"tengen/selfplay/cluster/clustertest"
	"tengen/train/checkpoint"
)

// cancelling cancels as soon as a text is written to it.
type cancelling struct {
	bytes.Buffer
	text   string
	cancel context.CancelFunc
}

func (c *cancelling) Write(p []byte) (int, error) {
	n, err := c.Buffer.Write(p)
	if strings.Contains(c.String(), c.text) {
		c.cancel()
	}
	return n, err
}

// firstRow begins the line that reports the first iteration.
const firstRow = "\n    1 "

// Ctrl-C is no failure, and the run that goes on after it ends with the same bytes as one that was left alone.
func TestTrainStopsAndGoesOn(t *testing.T) {
	defer goleak.VerifyNone(t, clustertest.Leaks...)
	whole, stopped := filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "stopped")
	command := func(dir string) []string {
		return []string{"train", "--config", tiny, "--run", dir, "--set", "train.iterations=3",
			"--set", "train.final_learning_rate=0.00005", "--set", "train.evaluate_every=2"}
	}
	mustCLI(t, command(whole)...)

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := &cancelling{text: firstRow, cancel: cancel}
	if code := execute(ctx, command(stopped), nil, out, out); code != exitOK {
		t.Fatalf("exit status %d\n%s", code, out)
	}
	if want := "stopped after iteration 1 of 3, games kept: the same command continues\n"; !strings.HasSuffix(out.String(), want) {
		t.Errorf("it ends with\n%s\nwant\n%s", out, want)
	}

	if out := mustCLI(t, command(stopped)...); !strings.Contains(out, "continuing "+stopped+" after iteration 1 of 3\n") {
		t.Errorf("it does not say from where it goes on:\n%s", out)
	}
	for _, name := range []string{"model-00000001.safetensors", "model-00000003.safetensors"} {
		if !bytes.Equal(readFile(t, filepath.Join(stopped, name)), readFile(t, filepath.Join(whole, name))) {
			t.Errorf("%s differs from that of a run that was not stopped", name)
		}
	}
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// Two processes cannot train in one directory: the second is told of the first.
func TestTrainRefusesADirectoryInUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run")
	flags := configFlags{file: tiny}
	cfg, _, err := flags.load("")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := checkpoint.Open(path, cfg.YAML(), nil)
	if err != nil {
		t.Fatal(err)
	}
	command := []string{"train", "--config", tiny, "--run", path}
	out, err := exec.CommandContext(t.Context(), program, command...).CombinedOutput()
	if code := exitCode(err); code != exitError {
		t.Errorf("exit status %d, want %d", code, exitError)
	}
	want := fmt.Sprintf("tengen: the run directory %s is in use by process %d: stop it first, or choose another directory\n", path, os.Getpid())
	if string(out) != want {
		t.Errorf("it says\n%s\nwant\n%s", out, want)
	}
	if err := dir.Close(); err != nil {
		t.Fatal(err)
	}
	mustCLI(t, command...)
}

// exitCode is the exit status of a process, -1 if it did not run to its end.
func exitCode(err error) int {
	if err == nil {
		return 0
	}
	if exit, ok := err.(*exec.ExitError); ok {
		return exit.ExitCode()
	}
	return -1
}

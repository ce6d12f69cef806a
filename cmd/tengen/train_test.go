package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"tengen/train/rundir"
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
	defer goleak.VerifyNone(t)
	whole, stopped := filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "stopped")
	command := func(dir string) []string {
		return []string{"train", "--config", tiny, "--run", dir, "--set", "train.iterations=3",
			"--set", "train.decay=cosine", "--set", "train.evaluate_every=2"}
	}
	mustCLI(t, command(whole)...)

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := &cancelling{text: firstRow, cancel: cancel}
	if code := run(ctx, command(stopped), nil, out, out); code != exitOK {
		t.Fatalf("exit status %d\n%s", code, out)
	}
	if want := "stopped: " + stopped + " has 1 of 3 iterations, and the same command goes on from there\n"; !strings.HasSuffix(out.String(), want) {
		t.Errorf("it ends with\n%s\nwant\n%s", out, want)
	}

	if out := mustCLI(t, command(stopped)...); !strings.Contains(out, "going on in "+stopped+" after iteration 1 of 3\n") {
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
	cfg, err := flags.load("")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := rundir.Open(path, cfg.yaml(), nil)
	if err != nil {
		t.Fatal(err)
	}
	command := []string{"train", "--config", tiny, "--run", path}
	out, err := exec.CommandContext(t.Context(), "tengen", command...).CombinedOutput()
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

// A run may go on under another value of a key that changes its length, speed or measurement, and of no other.
func TestCompatible(t *testing.T) {
	free := []string{
		"selfplay.workers", "selfplay.games", "selfplay.cache_megabytes",
		"train.iterations", "train.evaluate_every", "train.keep",
		"eval.against", "eval.games", "eval.simulations", "eval.opening_plies",
		"eval.ladder_games", "eval.grade_positions",
	}
	for _, s := range defaultConfig().settings() {
		if strings.HasPrefix(s.key, "cluster.") {
			free = append(free, s.key)
		}
	}
	measuredByGate := []string{"eval.simulations", "eval.opening_plies"}
	for _, gateGames := range []string{"0", "10"} {
		gate := "train.gate.games=" + gateGames
		before := configWith(t, gate)
		if err := compatible(before.yaml(), before); err != nil {
			t.Fatalf("nothing has changed: %v", err)
		}
		for _, s := range before.settings() {
			err := compatible(before.yaml(), configWith(t, gate, s.key+"="+another(s)))
			allowed := slices.Contains(free, s.key) && !(gateGames != "0" && slices.Contains(measuredByGate, s.key))
			switch {
			case allowed && err != nil:
				t.Errorf("gate of %s games: %v", gateGames, err)
			case !allowed && err == nil:
				t.Errorf("gate of %s games: %s may change", gateGames, s.key)
			case !allowed && !strings.HasPrefix(err.Error(), fmt.Sprintf("%s is %s there and %s here: ", s.key, s.value, another(s))):
				t.Errorf("gate of %s games: %s: the error is %v", gateGames, s.key, err)
			}
		}
	}
}

// A configuration that another version of the program has saved may have keys that this one does not know.
func TestCompatibleNamesTheUnknownKey(t *testing.T) {
	err := compatible([]byte("net:\n  chanels: 4\n"), defaultConfig())
	if want := `unknown key "net.chanels"`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want one that says %s", err, want)
	}
}

// configWith is the default configuration with assignments like those of --set.
func configWith(t *testing.T, assignments ...string) Config {
	t.Helper()
	flags := configFlags{set: assignments}
	cfg, err := flags.read("")
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// another is a value of the type of a setting that no setting has.
func another(s setting) string {
	switch {
	case strings.HasPrefix(s.value, "["):
		return "[77]"
	case strings.ContainsAny(s.value[:1], "-0123456789"):
		return "77"
	case s.value == "true":
		return "false"
	}
	return "something"
}

package cli

import (
	"bytes"
	"io"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"testing"
	"time"

	"tengen/internal/fulltest"
	"tengen/internal/random"
	"tengen/internal/safetensors"
	"tengen/train/checkpoint"
)

// Processes killed at random instants, 50 of them with -args -acceptance, leave a run that ends with the same bytes as one
// without a kill: models, optimizer, games, and metrics apart from times. No game that was stored is ever lost.
func TestKillTrainAtAnyInstant(t *testing.T) {
	kills, iterations := fulltest.Pick(3, 8), fulltest.Pick("5", "12")
	if *acceptance {
		kills, iterations = 50, "120"
	}
	whole, killed := filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "killed")
	command := func(dir string) []string {
		return []string{"train", "--config", tiny, "--run", dir, "--set", "train.iterations=" + iterations,
			"--set", "train.games_per_iteration=40", "--set", "train.evaluate_every=5"}
	}
	begin := time.Now()
	p := start(t, command(whole)...)
	p.out.ReadString('\n')
	opening := time.Since(begin)
	io.Copy(io.Discard, p.out)
	if err := p.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, &p.errOut)
	}
	most := opening + (time.Since(begin)-opening)/time.Duration(kills)

	rng := random.New(1, random.Test)
	kept := map[uint64]string{}
	for n := range kills {
		p := start(t, command(killed)...)
		time.Sleep(time.Duration(rng.Int64N(int64(most)))) // an instant that nothing else decides, on this machine's scale
		if err := p.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		p.Wait() // fails: it was killed
		if p.errOut.Len() > 0 {
			t.Errorf("kill %d: %s", n, &p.errOut)
		}
		now := storedGames(t, killed)
		for number, game := range kept {
			if now[number] != game {
				t.Errorf("kill %d: game %d, which was stored, is lost or another", n, number)
			}
		}
		kept = now
	}
	t.Logf("%d games were stored after %d kills", len(kept), kills)
	mustCLI(t, command(killed)...)
	compareRuns(t, whole, killed)
}

// compareRuns reports the models, checkpoints and games that differ, and metrics that do apart from times.
func compareRuns(t *testing.T, want, got string) {
	t.Helper()
	compareModels(t, want, got)
	if a, b := timeless(t, want), timeless(t, got); !bytes.Equal(a, b) {
		t.Errorf("the metrics differ:\n%s\n%s", a, b)
	}
}

// compareModels reports the models, checkpoints and games that differ.
func compareModels(t *testing.T, want, got string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(want, "*.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	checkpoints, err := filepath.Glob(filepath.Join(want, "state", "*.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, checkpoints...) {
		name, err := filepath.Rel(want, file)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(tensors(t, file), tensors(t, filepath.Join(got, name))) {
			t.Errorf("%s differs from that of a run that was not disturbed", name)
		}
	}
	a, b := storedGames(t, want), storedGames(t, got)
	if !maps.Equal(a, b) {
		t.Errorf("the games differ: %d and %d of them", len(a), len(b))
	}
	t.Logf("compared %d models, %d checkpoints and %d games", len(files), len(checkpoints), len(a))
}

// configuration is in the state of a checkpoint.
var configuration = regexp.MustCompile(`"config":"([^"\\]|\\.)*",`)

// tensors is the content of a model or a checkpoint, without the configuration, which says who plays.
func tensors(t *testing.T, file string) *safetensors.File {
	t.Helper()
	f, err := safetensors.Read(file, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range f.Metadata {
		f.Metadata[name] = configuration.ReplaceAllString(text, "")
	}
	return f
}

// timeless are the metrics of a run without what the clock decides.
func timeless(t *testing.T, dir string) (all []byte) {
	t.Helper()
	for line := range bytes.Lines(readFile(t, checkpoint.MetricsFile(dir))) {
		text, err := checkpoint.Timeless(line)
		if err != nil {
			t.Fatal(err)
		}
		all = append(append(all, text...), '\n')
	}
	return all
}

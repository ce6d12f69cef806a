package main

import (
	"archive/zip"
	"bytes"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/nats-io/nats.go/jetstream"

	"tengen/engine"
	"tengen/internal/frame"
	"tengen/replay/logtest"
)

// Runs of earlier versions of the program, in testdata/runs with the games that those versions exported from them, are intact
// and go on: no game is lost, called damaged or played again.
//
//   - run-1 has checkpoint format 2 and game records of version 1. It was killed in its fourth iteration, of which all 12 games are
//     in the log.
//   - workers-1 is the same of a run with a worker, after three iterations of 6 games, with another 6 games that wait.
func TestRunsOfEarlierVersions(t *testing.T) {
	for name, games := range map[string]string{ // in all, after two more iterations
		"run-1":     "60 games intact",
		"workers-1": " games intact",
	} {
		t.Run(name, func(t *testing.T) {
			dir := earlierRun(t, name)
			want := string(readFile(t, filepath.Join("testdata", "runs", name+".txt")))
			if got := exportedText(t, dir); got != want {
				t.Errorf("the games are\n%s\nwant\n%s", got, want)
			}
			if out := mustCLI(t, "replay", "verify", dir); !strings.HasSuffix(out, " 0 problems\n") {
				t.Error(out)
			}
			code, out, errOut := cli(t.Context(), nil, "train", "--run", dir, "--set", "train.iterations=5")
			if code != exitOK || errOut != "" || !strings.Contains(out, "after iteration 3 of 5\n") {
				t.Fatalf("exit status %d\n%s%s", code, out, errOut)
			}
			if got := exportedText(t, dir); !strings.HasPrefix(got, want) {
				t.Errorf("the games became\n%s\nwhich do not begin with\n%s", got, want)
			}
			if out := mustCLI(t, "replay", "verify", dir); !strings.Contains(out, games) || !strings.HasSuffix(out, " 0 problems\n") {
				t.Error(out)
			}
		})
	}
}

// A run of an earlier version goes on to the same bytes whether it is stopped on the way or not, with games of both versions in
// its log.
func TestRunOfAnEarlierVersionResumes(t *testing.T) {
	whole, stopped := earlierRun(t, "run-1"), earlierRun(t, "run-1")
	mustCLI(t, "train", "--run", whole, "--set", "train.iterations=7")
	for _, iterations := range []string{"4", "5", "6", "7"} {
		mustCLI(t, "train", "--run", stopped, "--set", "train.iterations="+iterations)
	}
	for _, name := range []string{"model-00000007.safetensors", "state/checkpoint-00000007.safetensors"} {
		if !bytes.Equal(readFile(t, filepath.Join(stopped, name)), readFile(t, filepath.Join(whole, name))) {
			t.Errorf("%s differs from that of a run that was not stopped", name)
		}
	}
}

// earlierRun unpacks a run directory of testdata/runs.
func earlierRun(t *testing.T, name string) string {
	t.Helper()
	archive, err := zip.OpenReader(filepath.Join("testdata", "runs", name+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	dir := filepath.Join(t.TempDir(), "run")
	if err := os.CopyFS(dir, archive); err != nil {
		t.Fatal(err)
	}
	return dir
}

// exportedText is what `tengen replay export --text` writes, without a warning.
func exportedText(t *testing.T, dir string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "games.txt")
	args := []string{"replay", "export", dir, "--text", file}
	if code, out, errOut := cli(t.Context(), nil, args...); code != exitOK || errOut != "" {
		t.Fatalf("tengen %s: exit status %d\n%s%s", strings.Join(args, " "), code, out, errOut)
	}
	return string(readFile(t, file))
}

// A game that a later version of the program has put into the log is refused by name by whatever reads the log. Nothing is
// called damaged, and nothing of the run changes.
func TestRunWithAGameOfALaterVersion(t *testing.T) {
	dir := earlierRun(t, "run-1")
	log := openLog(t, dir)
	js, err := jetstream.New(log.conn)
	if err == nil {
		_, err = js.Publish(t.Context(), "games."+engine.EmbeddedRun, laterMessage(t))
	}
	if err = errors.Join(err, log.Close()); err != nil {
		t.Fatal(err)
	}
	before := runFiles(t, dir)
	const want = "sequence number 49: cannot read a game record: it has version 99, this program knows up to 2: " +
		"go on with the program that made it, or update this one"
	for _, args := range [][]string{
		{"train", "--run", dir},
		{"replay", "stats", dir}, {"replay", "verify", dir}, {"replay", "show", dir, "3"},
		{"replay", "export", dir, "--text", filepath.Join(t.TempDir(), "games.txt")},
	} {
		code, _, errOut := cli(t.Context(), nil, args...)
		if code != exitError || !strings.Contains(errOut, want) || strings.Count(errOut, "\n") != 1 {
			t.Errorf("tengen %s: exit status %d\n%s", strings.Join(args, " "), code, errOut)
		}
		if after := runFiles(t, dir); !maps.Equal(after, before) {
			t.Errorf("tengen %s changes the run", strings.Join(args, " "))
		}
	}
}

// laterMessage is the message of a game whose record has version 99.
func laterMessage(t *testing.T) []byte {
	t.Helper()
	record, err := logtest.Game(99, 5).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	record[0] = 99
	record = frame.Seal(record[:len(record)-frame.SumSize])
	e, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return frame.Seal(e.EncodeAll(record, []byte{1, 1, 'w'}))
}

// runFiles are the contents of a run's files, but for its log, its lock and its configuration, which is written first of all.
func runFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, pattern := range []string{"*.safetensors", "state/*", "metrics.jsonl", "latest"} {
		names, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			files[name] = string(readFile(t, name))
		}
	}
	return files
}

package main

import (
	"archive/zip"
	"os"
	"path/filepath"
	"strings"
	"testing"
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

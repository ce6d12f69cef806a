package cli

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tengen/replay"
	"tengen/replay/gamesdb"
	"tengen/run/games"
	"tengen/selfplay/cluster/clustertest"
)

// program is the name by which this test is the program: TestMain puts a link of that name into PATH.
const program = "tengen"

func TestMain(m *testing.M) {
	forecastTime, grace = 5*time.Millisecond, time.Minute // what ends late on a busy machine is not what these tests are about
	if filepath.Base(os.Args[0]) == program {
		if os.Getenv(crash) != "" {
			Main(program, crashing())
		}
		Main(program)
	}
	games.Register()
	os.Setenv("GORACE", "atexit_sleep_ms=10 "+os.Getenv("GORACE")) // of the processes that tests start: 1 second is long
	code, err := runTests(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// runTests runs the tests, with the program in PATH. It is an error when goroutines are left over.
func runTests(m *testing.M) (int, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(folder)
	if err := os.Symlink(self, filepath.Join(folder, program)); err != nil {
		return 0, err
	}
	if err := os.Setenv("PATH", folder+string(filepath.ListSeparator)+os.Getenv("PATH")); err != nil {
		return 0, err
	}
	if code := m.Run(); code != 0 {
		return code, nil
	}
	return 0, goleak.Find(clustertest.Leaks...)
}

// cli runs a command line in this process and returns its exit status and output.
func cli(ctx context.Context, in io.Reader, args ...string) (code int, out, errOut string) {
	var stdout, stderr bytes.Buffer
	code = execute(ctx, args, in, &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// mustCLI is cli for a command line without input that must succeed.
func mustCLI(t *testing.T, args ...string) string {
	t.Helper()
	code, out, errOut := cli(t.Context(), strings.NewReader(""), args...)
	if code != exitOK {
		t.Fatalf("tengen %s: exit status %d\n%s%s", strings.Join(args, " "), code, out, errOut)
	}
	return out
}

// tiny is the configuration file of a run that takes a fraction of a second.
var tiny = filepath.Join("testdata", "tiny.yaml")

func TestOneLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "",
		"one line":                     "one line",
		"a\nb\n":                       "a; b",
		"a\x1b[2J\u202e\a":             `a\x1b[2J\u202e\a`,
		"errors:\n  line 1: x\n  line": "errors: line 1: x; line",
	} {
		if got := oneLine(text); got != want {
			t.Errorf("oneLine(%q) = %q, want %q", text, got, want)
		}
	}
}

// storedGames returns the games of a run by their numbers, without worker and time. Damage fails the test.
func storedGames(t *testing.T, dir string) map[uint64]string {
	t.Helper()
	games := map[uint64]string{}
	readGames(t, dir, func(e replay.Entry) {
		record, err := e.Game.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		games[e.Number] = string(record)
	})
	return games
}

// readGames calls yield with the games of a run that no process trains. It may have been killed before it had any. Damage fails
// the test.
func readGames(t *testing.T, dir string, yield func(replay.Entry)) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, gamesdb.FileName)); err != nil {
		return
	}
	db, err := gamesdb.Open(t.Context(), dir, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	first, end, err := db.Span(t.Context())
	if err == nil {
		err = db.Read(t.Context(), first, end, func(e replay.Entry) error {
			if e.Err != nil {
				return e.Err
			}
			yield(e)
			return nil
		})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// What takes minutes is run with -args -acceptance.
var acceptance = flag.Bool("acceptance", false, "also run the trainings and matches that take minutes")

// A program of another name speaks of itself by that name.
func TestProgramName(t *testing.T) {
	called = "mygame"
	t.Cleanup(func() { called = program })
	var out, errOut strings.Builder
	execute(t.Context(), []string{"play", "--gme", "chess"}, strings.NewReader(""), &out, &errOut)
	if text := errOut.String(); !strings.HasPrefix(text, "mygame: ") || !strings.HasSuffix(text, "(see mygame play --help)\n") {
		t.Errorf("the error is %q", text)
	}
	errOut.Reset()
	execute(t.Context(), []string{"train", "--set", "sede=1"}, strings.NewReader(""), &out, &errOut)
	if text := errOut.String(); !strings.Contains(text, "`mygame config show` lists all") {
		t.Errorf("the error is %q", text)
	}
	out.Reset()
	execute(t.Context(), []string{"play", "--help"}, strings.NewReader(""), &out, &errOut)
	if text := out.String(); !strings.Contains(text, "see mygame help games") || strings.Contains(text, "see tengen") {
		t.Errorf("the help is %q", text)
	}
	for topic, want := range map[string]string{
		"players": "only in mygame play\n", "solve": "echo 44444 | mygame solve --game connect4", "train": "  mygame train --for 20m",
	} {
		out.Reset()
		execute(t.Context(), strings.Fields("help "+topic), strings.NewReader(""), &out, &errOut)
		if text := out.String(); !strings.Contains(text, want) || strings.Contains(text, "tengen play") {
			t.Errorf("help %s is %s", topic, text)
		}
	}
}

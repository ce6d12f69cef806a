package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tengen/cluster"
	"tengen/cluster/natslog"
	"tengen/cluster/natslog/natstest"
	"tengen/engine"

	"github.com/nats-io/nats.go"
	"go.uber.org/goleak"
)

// program is the name by which this test is the program: TestMain puts a link of that name into PATH.
const program = "tengen"

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == program {
		main()
	}
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
	return 0, goleak.Find(natstest.Upstream...)
}

// cli runs a command line in this process and returns its exit status and output.
func cli(ctx context.Context, in io.Reader, args ...string) (code int, out, errOut string) {
	var stdout, stderr bytes.Buffer
	code = run(ctx, args, in, &stdout, &stderr)
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

// testLog is the log of a run, opened past the program.
type testLog struct {
	*natslog.Log
	conn   *nats.Conn
	server *natslog.Server
}

// openLog opens the log of the run in a directory. Damage fails the test.
func openLog(t *testing.T, dir string) *testLog {
	t.Helper()
	cfg := cluster.Default()
	server, err := natslog.StartServer(natslog.ServerConfig{
		Dir:       filepath.Join(dir, "games"),
		MaxMemory: int64(cfg.MaxMemoryMegabytes) << 20, MaxDisk: int64(cfg.MaxDiskMegabytes) << 20,
		Report: func(message string) { t.Error(message) },
	})
	if err != nil {
		t.Fatal(err)
	}
	l := &testLog{server: server}
	if l.conn, err = server.Connect(t.Context()); err == nil {
		l.Log, err = natslog.OpenLog(t.Context(), l.conn, natslog.LogConfig{Run: engine.EmbeddedRun})
	}
	if err != nil {
		t.Fatal(errors.Join(err, l.Close()))
	}
	return l
}

// Close ends the log, the connection and the server.
func (l *testLog) Close() error {
	var err error
	if l.Log != nil {
		err = l.Log.Close()
	}
	if l.conn != nil {
		l.conn.Close()
	}
	return errors.Join(err, l.server.Close())
}

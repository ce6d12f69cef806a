package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	os.Setenv("GORACE", "atexit_sleep_ms=10 "+os.Getenv("GORACE")) // of the processes that tests start: 1 second is long
	testscript.Main(leakChecker{m}, map[string]func(){"tengen": main})
}

// leakChecker fails the tests when goroutines are left over.
type leakChecker struct{ *testing.M }

func (m leakChecker) Run() int {
	code := m.M.Run()
	if code != 0 {
		return code
	}
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
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
		"errors:\n  line 1: x\n  line": "errors: line 1: x; line",
	} {
		if got := oneLine(text); got != want {
			t.Errorf("oneLine(%q) = %q, want %q", text, got, want)
		}
	}
}

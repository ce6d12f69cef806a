package cli

import (
	"bufio"
	"io"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"tengen/selfplay/cluster/clustertest"
)

// Another program can talk to analyze: each answer comes before the next position is written.
func TestAnalyzeAnswersLineByLine(t *testing.T) {
	defer goleak.VerifyNone(t, clustertest.Leaks...)
	positions, in := io.Pipe()
	answers, out := io.Pipe()
	var errOut strings.Builder
	status := make(chan int)
	go func() {
		code := execute(t.Context(), []string{"analyze", "--player", "uct:10", "--game", "connect4"}, positions, out, &errOut)
		out.Close()
		positions.Close() // what is written now fails instead of waiting
		status <- code
	}()
	reader := bufio.NewReader(answers)
	for _, position := range []string{"", "4", "44353"} {
		if _, err := io.WriteString(in, position+"\n"); err != nil {
			t.Fatal(err)
		}
		answer, err := reader.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if position == "" {
			position = "start"
		}
		if !strings.HasPrefix(answer, position+": ") {
			t.Errorf("the answer to %q is %q", position, answer)
		}
	}
	in.Close()
	if rest, err := io.ReadAll(reader); err != nil || len(rest) > 0 {
		t.Errorf("after the end of the input: %q, %v", rest, err)
	}
	if code := <-status; code != exitOK {
		t.Errorf("exit status %d: %s", code, &errOut)
	}
}

// A last line without an end is a position too, and a line that is too long is an error with its number.
func TestAnalyzeLines(t *testing.T) {
	defer goleak.VerifyNone(t, clustertest.Leaks...)
	for _, c := range []struct {
		in          string
		code, lines int
		errOut      string
	}{
		{"4\n44", exitOK, 2, ""},
		{"4\r\n\r\n", exitOK, 2, ""},
		{"4\n" + strings.Repeat("4", 1<<20), exitError, 1, "tengen: line 2: cannot read the position: "},
		{"4\n9\n4\n4\n", exitUsage, 4, "tengen: 1 line of 4 could not be analyzed\n"},
	} {
		code, out, errOut := cli(t.Context(), strings.NewReader(c.in), "analyze", "--player", "random", "--game", "connect4")
		if code != c.code || strings.Count(out, "\n") != c.lines || !strings.HasPrefix(errOut, c.errOut) || (errOut == "") != (c.errOut == "") {
			t.Errorf("%.10q: exit status %d\n%s%s", c.in, code, out, errOut)
		}
	}
}

func TestExampleClient(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), needPython(t), "../examples/programs/analysis.py", "4443")
	var errOut strings.Builder
	cmd.Stderr = &errOut
	out, err := cmd.Output()
	if lines := strings.Split(strings.TrimRight(string(out), "\n"), "\n"); err != nil || len(lines) != 4 || !strings.HasPrefix(lines[0], "  1 4  best 4  value ") {
		t.Errorf("%v\n%s%s", err, out, &errOut)
	}
}

// needPython returns the path of Python 3, without which the test is skipped.
func needPython(t *testing.T) string {
	t.Helper()
	python, err := python()
	if err != nil {
		t.Skip("there is no python3 here:", err)
	}
	return python
}

// python finds the interpreter itself: python3 may be a script that takes longer to find it than what a test does with it.
var python = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
	return strings.TrimSpace(string(out)), err
})

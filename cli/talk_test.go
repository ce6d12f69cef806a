package cli

import (
	"bufio"
	"io"
	"os/exec"
	"regexp"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// scriptTalk talks with a program as a transcript says, and checks that it ends well and writes nothing to standard error, which
// managers take for moves:
//
//	talk piskvork.txt tengen gomocup
//
// Lines of the transcript after "> " are sent, with LF behind them, or CR LF after ">> ", or nothing after ">- ". Lines after "< " are what
// must come next; MESSAGE lines are passed over where the transcript has none. Lines after "~ " are regular expressions of a
// whole line. "stop" suspends the program, "continue" lets it go on, and "close" ends its input.
func scriptTalk(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: talk TRANSCRIPT PROGRAM [ARGUMENT...]")
	}
	cmd := exec.Command(args[1], args[2:]...)
	cmd.Dir = ts.MkAbs(".")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	in, err := cmd.StdinPipe()
	ts.Check(err)
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	ts.Defer(func() { _ = cmd.Process.Kill() }) // it has ended, unless the script failed
	answers := bufio.NewScanner(out)
	for number, text := range strings.Split(strings.TrimSpace(ts.ReadFile(args[0])), "\n") {
		sign, rest, _ := strings.Cut(text, " ")
		switch sign {
		case ">", ">>", ">-":
			_, err := io.WriteString(in, rest+map[string]string{">": "\n", ">>": "\r\n"}[sign])
			ts.Check(err)
		case "<", "~":
			pattern := rest
			if sign == "<" {
				pattern = regexp.QuoteMeta(rest)
			}
			got := nextAnswer(answers, strings.HasPrefix(rest, "MESSAGE"))
			if !regexp.MustCompile("^(?:" + pattern + ")$").MatchString(got) {
				ts.Fatalf("%s:%d: want %q, got %q", args[0], number+1, rest, got)
			}
		case "close":
			ts.Check(in.Close())
		case "stop":
			ts.Check(exec.Command("kill", "-STOP", strconv.Itoa(cmd.Process.Pid)).Run())
		case "continue":
			ts.Check(exec.Command("kill", "-CONT", strconv.Itoa(cmd.Process.Pid)).Run())
		case "", "#":
		default:
			ts.Fatalf("%s:%d: %q is no line of a transcript", args[0], number+1, text)
		}
	}
	if got := nextAnswer(answers, false); got != "" {
		ts.Fatalf("at the end: %q", got)
	}
	ts.Check(cmd.Wait())
	if stderr.Len() > 0 {
		ts.Fatalf("standard error: %s", stderr.String())
	}
}

// nextAnswer is the next line, "" at the end; a MESSAGE only if it is asked for.
func nextAnswer(answers *bufio.Scanner, message bool) string {
	for answers.Scan() {
		if message || !strings.HasPrefix(answers.Text(), "MESSAGE") {
			return answers.Text()
		}
	}
	return ""
}

package cli

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"go.uber.org/goleak"

	"tengen/selfplay/cluster/clustertest"
)

// process is a tengen of its own.
type process struct {
	*exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	errOut strings.Builder
}

func start(t *testing.T, args ...string) *process {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be interrupted from here")
	}
	p := &process{Cmd: exec.CommandContext(t.Context(), program, args...)}
	p.Stderr = &p.errOut
	var err error
	if p.in, err = p.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.out = bufio.NewReader(out)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

// readUntil reads lines up to one that begins with the text.
func (p *process) readUntil(t *testing.T, text string) {
	t.Helper()
	for {
		line, err := p.out.ReadString('\n')
		if err != nil {
			t.Fatalf("no line begins with %q: %v\n%s", text, err, &p.errOut)
		}
		if strings.HasPrefix(line, text) {
			return
		}
	}
}

// interrupt sends Ctrl-C and returns the exit status and the rest of the output.
func (p *process) interrupt(t *testing.T) (code int, out string) {
	t.Helper()
	if err := p.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(p.out)
	if err != nil {
		t.Fatal(err)
	}
	return exitCode(p.Wait()), string(rest)
}

// A command that does not hear Ctrl-C ends all the same: train and serve well, others as interrupted. Only worker takes its
// time.
func TestHurried(t *testing.T) {
	defer func(usual time.Duration) { grace = usual }(grace)
	grace = 0
	deaf := make(chan bool)
	defer close(deaf)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, cmd := range NewRoot().Commands() {
		run := hurried(func(*cobra.Command, []string) error { <-deaf; return nil })
		var out strings.Builder
		cmd.SetContext(ctx)
		cmd.SetOut(&out)
		want, text := context.Canceled, ""
		switch cmd.Name() {
		case "train":
			want, text = nil, "stopped: the same command continues after the last iteration\n"
		case "serve":
			want = nil
		}
		if err := run(cmd, nil); err != want || out.String() != text {
			t.Errorf("%s: error %v, want %v; output %q", cmd.Name(), err, want, &out)
		}
		if _, ok := cmd.Annotations[waits]; ok != (cmd.Name() == "worker") {
			t.Errorf("%s waits: %v", cmd.Name(), ok)
		}
	}
	logs := newTrain()
	var out, errOut strings.Builder
	logs.SetContext(ctx)
	logs.SetOut(&out)
	logs.SetErr(&errOut)
	if err := logs.Flags().Set("log", "json"); err != nil {
		t.Fatal(err)
	}
	err := hurried(func(*cobra.Command, []string) error { <-deaf; return nil })(logs, nil)
	if err != nil || out.Len() > 0 || !strings.Contains(errOut.String(), `"msg":"stopped: the same command continues`) {
		t.Errorf("a run that logs: error %v, output %q, log %q", err, &out, &errOut)
	}
	cmd := newVersion("")
	cmd.SetContext(t.Context())
	if err := hurried(func(*cobra.Command, []string) error { return io.EOF })(cmd, nil); err != io.EOF {
		t.Errorf("a command's own error becomes %v", err)
	}
}

func TestInterruptTrain(t *testing.T) {
	for _, extra := range [][]string{nil, {"--listen", "127.0.0.1:0"}} {
		dir := filepath.Join(t.TempDir(), "run")
		p := start(t, append([]string{"train", "--config", tiny, "--run", dir, "--set", "train.iterations=1000000"}, extra...)...)
		p.readUntil(t, strings.TrimPrefix(firstRow, "\n"))
		if code, out := p.interrupt(t); code != exitOK || !strings.Contains("\n"+out, "\nstopped after iteration ") {
			t.Errorf("train %v: exit status %d\n%s%s", extra, code, out, &p.errOut)
		}
	}
}

// Ctrl-C ends a server with exit status 0, and an address has one server at a time.
func TestInterruptServe(t *testing.T) {
	p := start(t, "serve", "--http", "127.0.0.1:0")
	line, err := p.out.ReadString('\n')
	if err != nil {
		t.Fatalf("%v\n%s", err, &p.errOut)
	}
	page, _, _ := strings.Cut(strings.TrimPrefix(line, "tengen is at "), " ")
	resp, err := http.Get(page + "api/position?game=tictactoe")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	address := strings.TrimSuffix(strings.TrimPrefix(page, "http://"), "/")
	code, _, errOut := cli(t.Context(), strings.NewReader(""), "serve", "--http", address)
	if want := "tengen: cannot listen on " + address; code != exitError || !strings.HasPrefix(errOut, want) {
		t.Errorf("a second server: exit status %d, %s", code, errOut)
	}
	if code, out := p.interrupt(t); code != exitOK || out != "" || p.errOut.Len() > 0 {
		t.Errorf("exit status %d\n%s%s", code, out, &p.errOut)
	}
}

// Ctrl-C must end the wait for a position.
func TestInterruptAnalyze(t *testing.T) {
	p := start(t, "analyze", "--player", "uct:10", "--game", "tictactoe")
	if _, err := io.WriteString(p.in, "\n"); err != nil {
		t.Fatal(err)
	}
	p.readUntil(t, "start: ")
	code, out := p.interrupt(t)
	if code != exitError || out != "" || p.errOut.String() != "tengen: interrupted\n" {
		t.Errorf("exit status %d\n%s%s", code, out, &p.errOut)
	}
}

// Ctrl-C must end a count in the middle of a ply: of gomoku, the third has millions of positions.
func TestInterruptCount(t *testing.T) {
	p := start(t, "solve", "--game", "gomoku", "--count")
	p.readUntil(t, "   2 ")
	code, out := p.interrupt(t)
	if code != exitError || out != "" || p.errOut.String() != "tengen: interrupted\n" {
		t.Errorf("exit status %d\n%s%s", code, out, &p.errOut)
	}
}

// Ctrl-C ends a game, also while the engine thinks, and the moves are printed.
func TestInterruptPlay(t *testing.T) {
	p := start(t, "play", "--against", "uct:10", "--game", "tictactoe", "--first", "engine")
	p.readUntil(t, "X plays ")
	if code, out := p.interrupt(t); code != exitOK || p.errOut.Len() > 0 || !strings.Contains(out, "\nMoves: ") {
		t.Errorf("exit status %d\n%s%s", code, out, &p.errOut)
	}
	p = start(t, "play", "--against", "uct:1h", "--game", "connect4", "--moves", "4")
	p.readUntil(t, "Type a move")
	if code, out := p.interrupt(t); code != exitOK || out != "Moves: 4\nTo continue the game, add --moves 4\n" {
		t.Errorf("exit status %d\n%s%s", code, out, &p.errOut)
	}
}

// Work that has no result yet when it is interrupted has failed, without talk of contexts.
func TestInterruptWork(t *testing.T) {
	defer goleak.VerifyNone(t, clustertest.Leaks...)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, command := range []string{
		"eval --player uct:10 --against random --game connect4",
		"bench --time 1ms --config " + tiny,
	} {
		code, out, errOut := cli(cancelled, strings.NewReader(""), strings.Fields(command)...)
		if code != exitError || out != "" || errOut != "tengen: interrupted\n" {
			t.Errorf("%s: exit status %d\n%s%s", command, code, out, errOut)
		}
	}
}

// An interrupted match shows the games played so far.
func TestInterruptMatch(t *testing.T) {
	file := filepath.Join(t.TempDir(), "games")
	p := start(t, "eval", "--player", "random", "--against", "random", "--game", "gomoku", "--games", "1000000", "--games-out", file)
	for played := int64(0); played < 10_000; time.Sleep(time.Millisecond) {
		if f, err := os.Stat(file); err == nil {
			played = f.Size()
		}
	}
	code, out := p.interrupt(t)
	if code != exitError || !strings.HasPrefix(out, "random vs random, gomoku\n") || !regexp.MustCompile(`^tengen: interrupted after \d+ of 1000000 games\n$`).MatchString(p.errOut.String()) {
		t.Errorf("exit status %d\n%s%s", code, out, &p.errOut)
	}
}

package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tengen/replay"
	"tengen/selfplay/cluster"
	"tengen/selfplay/cluster/clustertest"
)

// startTrain trains in this process and returns the URL of its server; wait returns its output and its warnings.
func startTrain(t *testing.T, args ...string) (url string, wait func() (out, warnings string)) {
	t.Helper()
	in, out := io.Pipe()
	var errOut bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		code := execute(t.Context(), append([]string{"train", "--config", tiny, "--listen", "127.0.0.1:0"}, args...), nil, out, &errOut)
		out.Close()
		ended <- code
	}()
	var text bytes.Buffer
	address := regexp.MustCompile(`--server (\S+) --token-file token\n`)
	for buffer := make([]byte, 512); url == ""; {
		n, err := in.Read(buffer)
		if text.Write(buffer[:n]); err != nil {
			t.Fatalf("it prints no command for workers:\n%s%s", &text, &errOut)
		}
		if found := address.FindStringSubmatch(text.String()); found != nil {
			url = found[1]
		}
	}
	return url, func() (string, string) {
		io.Copy(&text, in)
		if code := <-ended; code != exitOK {
			t.Errorf("exit status %d\n%s%s", code, &text, &errOut)
		}
		return text.String(), errOut.String()
	}
}

// addWorker gives a worker a token, and returns the token's file.
func addWorker(t *testing.T, dir, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(path, []byte(mustCLI(t, "workers", "add", dir, name)), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// startWorker plays in this process until stop is called, which returns what it has printed.
func startWorker(t *testing.T, url, token string, args ...string) (stop func() string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var out, errOut bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		ended <- execute(ctx, append([]string{"worker", "--server", url, "--token-file", token, "--workers", "1"}, args...), nil, &out, &errOut)
	}()
	return func() string {
		cancel()
		if code := <-ended; code != exitOK {
			t.Errorf("worker: exit status %d\n%s%s", code, &out, &errOut)
		}
		return out.String()
	}
}

// A run has the same models, checkpoints and games with all kinds of players: two workers elsewhere, or a worker and the process that trains, and
// after each other.
func TestTrainWithWorkers(t *testing.T) {
	defer goleak.VerifyNone(t, clustertest.Leaks...)
	alone, path := filepath.Join(t.TempDir(), "alone"), filepath.Join(t.TempDir(), "run")
	iterations := func(dir, n string, args ...string) []string {
		return append([]string{"--run", dir, "--set", "train.iterations=" + n}, args...)
	}
	train := []string{"train", "--config", tiny}

	url, wait := startTrain(t, iterations(path, "3", "--set", "cluster.local=false", "--set", "cluster.verify=1")...)
	a := startWorker(t, url, addWorker(t, path, "a"))
	b := startWorker(t, url, addWorker(t, path, "b"), "--json", "--every", "1ms")
	out, warnings := wait()
	if warnings != "" || !strings.Contains(out, "\n    3      24 ") || !strings.Contains(out, "\n      workers: ") ||
		!strings.Contains(out, "\n      training waited for games ") {
		t.Errorf("it prints\n%s%s", out, warnings)
	}
	// Workers end with their run.
	if text := a(); !strings.HasPrefix(text, "playing tictactoe, seed 1, as a\n") || !strings.Contains(text, "\nthe run has ended after ") {
		t.Errorf("a worker prints\n%s", text)
	}
	var report workReport
	if err := json.NewDecoder(strings.NewReader(b())).Decode(&report); err != nil || report.Worker != "b" {
		t.Errorf("the other worker's first report is %+v, %v", report, err)
	}
	readGames(t, path, func(e replay.Entry) {
		if e.Worker != "a" && e.Worker != "b" {
			t.Errorf("game %d is of worker %s", e.Number, e.Worker)
		}
	})
	mustCLI(t, append(train, iterations(alone, "3")...)...)
	compareModels(t, alone, path)
	if list := mustCLI(t, "workers", "list", path); !regexp.MustCompile(`(?m)^a  .*; games: \d+, last 20`).MatchString(list) {
		t.Errorf("the list of workers says\n%s", list)
	}

	out = mustCLI(t, append(train, iterations(path, "5", "--set", "cluster.local=true")...)...)
	if !strings.Contains(out, "continuing "+path+" after iteration 3 of 5\n") {
		t.Errorf("it prints\n%s", out)
	}
	url, wait = startTrain(t, iterations(path, "7")...)
	c := startWorker(t, url, addWorker(t, path, "c"), "--wait")
	wait()
	if text := c(); !strings.Contains(text, "\nstopped after ") {
		t.Errorf("a worker that is to wait prints\n%s", text)
	}
	mustCLI(t, append(train, iterations(alone, "7")...)...)
	compareModels(t, alone, path)
}

// A worker whose token was revoked is refused. Its name may be given again, and another token with it.
func TestRevokedWorker(t *testing.T) {
	defer goleak.VerifyNone(t, clustertest.Leaks...)
	dir := tinyRun(t)
	revoked := addWorker(t, dir, "lost")
	mustCLI(t, "workers", "revoke", dir, "lost")
	url, wait := startTrain(t, "--run", dir, "--set", "cluster.local=false", "--set", "train.iterations=3")
	code, _, errOut := cli(t.Context(), nil, "worker", "--server", url, "--token-file", revoked)
	if code != exitError || !strings.Contains(errOut, "the token is wrong or missing, or was revoked") {
		t.Errorf("a worker whose token was revoked: exit status %d\n%s", code, errOut)
	}
	stop := startWorker(t, url, addWorker(t, dir, "lost"))
	if _, warnings := wait(); !strings.Contains(warnings, "authentication error") {
		t.Errorf("no warning names the refused worker: %q", warnings)
	}
	stop()
}

// A worker that starts before its run waits for the run, and then plays. It joins again if the run continues with other
// settings.
func TestWorkerComesBeforeItsRun(t *testing.T) {
	defer goleak.VerifyNone(t, clustertest.Leaks...)
	dir := tinyRun(t)
	token := addWorker(t, dir, "early")
	free, err := net.Listen("tcp", ownLoopback()+":0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	free.Close()

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	warnings, errOut := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		defer cancel()
		ended <- execute(ctx, []string{"worker", "--server", "nats://" + address, "--token-file", token, "--workers", "1", "--wait"}, nil, io.Discard, errOut)
		errOut.Close()
	}()
	lines := bufio.NewScanner(warnings)
	if !lines.Scan() || !strings.Contains(lines.Text(), "waiting for the run to begin: ") {
		t.Fatalf("it says %q", lines.Text())
	}
	go io.Copy(io.Discard, warnings)
	for _, n := range []string{"3", "4"} {
		code, out, errOut := cli(ctx, nil, "train", "--config", tiny, "--run", dir, "--listen", address,
			"--set", "cluster.local=false", "--set", "train.iterations="+n, "--set", "selfplay.cache_megabytes="+n)
		if code != exitOK || ctx.Err() != nil {
			t.Errorf("to iteration %s: exit status %d\n%s%s", n, code, out, errOut)
		}
	}
	cancel()
	if code := <-ended; code != exitOK {
		t.Errorf("the worker ends with exit status %d", code)
	}
}

// ownLoopback is an address of this machine at which no other test program listens, where there is one.
func ownLoopback() string {
	pid := os.Getpid()
	host := fmt.Sprintf("127.100.%d.%d", pid>>8&255, pid&255)
	l, err := net.Listen("tcp", host+":0")
	if err != nil {
		return "127.0.0.1"
	}
	l.Close()
	return host
}

func TestWorkReport(t *testing.T) {
	last := cluster.WorkerProgress{Games: 10}
	for _, c := range []struct {
		now  cluster.WorkerProgress
		want string
	}{
		{cluster.WorkerProgress{Games: 13, Model: 4, Connected: true, Playing: true}, "playing       model 4  13 games  1.50 games/s"},
		{
			cluster.WorkerProgress{Games: 10, Model: 4, Connected: true, Fetching: true, Fetched: 43},
			"waiting       model 4  10 games  0.00 games/s  fetching a model: 43 %",
		},
		{cluster.WorkerProgress{Games: 11, Playing: true}, "disconnected  model 0  11 games  0.50 games/s"},
	} {
		if got := newWorkReport(c.now, last, 2*time.Second).text(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

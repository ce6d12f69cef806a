package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"tengen/cluster/natslog/natstest"
	"tengen/engine"
	"tengen/train/rundir"
)

// startTrain trains in this process and returns the URL of its server; wait returns its output.
func startTrain(t *testing.T, args ...string) (url string, wait func() string) {
	t.Helper()
	in, out := io.Pipe()
	var errOut bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		code := run(t.Context(), append([]string{"train", "--config", tiny, "--listen", "127.0.0.1:0"}, args...), nil, out, &errOut)
		out.Close()
		ended <- code
	}()
	var text bytes.Buffer
	address := regexp.MustCompile(`--server (\S+) --token-file \S+\n`)
	for buffer := make([]byte, 512); url == ""; {
		n, err := in.Read(buffer)
		if text.Write(buffer[:n]); err != nil {
			t.Fatalf("it prints no command for workers:\n%s%s", &text, &errOut)
		}
		if found := address.FindStringSubmatch(text.String()); found != nil {
			url = found[1]
		}
	}
	return url, func() string {
		io.Copy(&text, in)
		if code := <-ended; code != exitOK {
			t.Errorf("exit status %d\n%s%s", code, &text, &errOut)
		}
		return text.String()
	}
}

// A run whose games all come from workers elsewhere ends; the same run goes on by itself, with the games of its own worker.
func TestTrainWithWorkers(t *testing.T) {
	defer goleak.VerifyNone(t, natstest.Upstream...)
	dir := t.TempDir()
	path := filepath.Join(dir, "run")
	url, wait := startTrain(t, "--run", path, "--set", "cluster.local=false", "--set", "train.iterations=3", "--set", "cluster.verify=1")
	if info, err := os.Stat(filepath.Join(path, "token")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the token's file: %v, %v", info, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var workers sync.WaitGroup
	outputs := make([]bytes.Buffer, 2)
	for i := range outputs {
		workers.Go(func() {
			args := []string{"worker", "--server", url, "--token-file", filepath.Join(path, "token"), "--workers", "1",
				"--spool", filepath.Join(dir, "spool", string(rune('a'+i)))}
			if i == 1 {
				args = append(args, "--json", "--every", "1ms")
			}
			var errOut bytes.Buffer
			if code := run(ctx, args, nil, &outputs[i], &errOut); code != exitOK {
				t.Errorf("worker: exit status %d\n%s%s", code, &outputs[i], &errOut)
			}
		})
	}
	out := wait()
	cancel()
	workers.Wait()
	if !strings.Contains(out, "\n    3      24 ") || !strings.Contains(out, "\n      workers: ") || !strings.Contains(out, " games/s") {
		t.Errorf("it prints\n%s", out)
	}
	metrics, err := rundir.ReadMetrics(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range metrics { // every game of another process is played again by this one, and comes out the same
		if m.Verified != 8 || m.Unverified != 0 || m.Seconds.Verify <= 0 {
			t.Errorf("iteration %d: verified %d games in %v s, %d could not be", m.Iteration, m.Verified, m.Seconds.Verify, m.Unverified)
		}
	}
	if text := outputs[0].String(); !strings.HasPrefix(text, "playing tictactoe, seed 1, as ") || !strings.Contains(text, "\nstopped after ") {
		t.Errorf("the worker prints\n%s", text)
	}
	var report engine.WorkReport
	if err := json.NewDecoder(&outputs[1]).Decode(&report); err != nil || report.Worker == "" {
		t.Errorf("the worker's first report is %+v, %v", report, err)
	}

	out = mustCLI(t, "train", "--config", tiny, "--run", path, "--set", "train.iterations=9") // more than games are waiting for
	if !strings.Contains(out, "going on in "+path+" after iteration 3 of 9\n") || !strings.Contains(out, "local-") {
		t.Errorf("it prints\n%s", out)
	}
}

// A run that has played by itself may go on with workers.
func TestTrainWithWorkersLater(t *testing.T) {
	defer goleak.VerifyNone(t, natstest.Upstream...)
	path := filepath.Join(t.TempDir(), "run")
	mustCLI(t, "train", "--config", tiny, "--run", path)
	_, wait := startTrain(t, "--run", path, "--set", "train.iterations=4")
	if out := wait(); !strings.Contains(out, "after iteration 2 of 4\n") || !strings.Contains(out, "\n    4      32 ") {
		t.Errorf("it prints\n%s", out)
	}
}

// A worker that comes before its run waits for it, and plays as soon as it is there.
func TestWorkerComesBeforeItsRun(t *testing.T) {
	defer goleak.VerifyNone(t, natstest.Upstream...)
	dir := t.TempDir()
	token := filepath.Join(dir, "token")
	if err := os.WriteFile(token, []byte("a token\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	free, err := net.Listen("tcp", net.JoinHostPort(natstest.Loopback(), "0"))
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
		ended <- run(ctx, []string{"worker", "--server", "nats://" + address, "--token-file", token, "--workers", "1",
			"--spool", filepath.Join(dir, "spool")}, nil, io.Discard, errOut)
		errOut.Close()
	}()
	lines := bufio.NewScanner(warnings)
	if !lines.Scan() || !strings.Contains(lines.Text(), "waiting for the run to begin: ") {
		t.Fatalf("it says %q", lines.Text())
	}
	go io.Copy(io.Discard, warnings)
	mustCLI(t, "train", "--config", tiny, "--run", filepath.Join(dir, "run"), "--listen", address,
		"--set", "cluster.token_file="+token, "--set", "cluster.local=false")
	cancel()
	if code := <-ended; code != exitOK {
		t.Errorf("the worker ends with exit status %d", code)
	}
}

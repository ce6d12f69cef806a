package cluster

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"sync"
	"testing"

	"tengen/internal/random"
	"tengen/replay/logtest"
)

// child is this test program in another role; see TestMain.
type child struct {
	*exec.Cmd
	out    *bufio.Scanner
	stdin  io.Closer
	stderr bytes.Buffer
}

func startChild(t *testing.T, env ...string) *child {
	t.Helper()
	c := &child{Cmd: exec.Command(os.Args[0])}
	c.Env = append(os.Environ(), env...)
	c.Stderr = &c.stderr
	stdin, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.stdin = stdin
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.out = bufio.NewScanner(stdout)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return c
}

// startServerProcess runs a server on a port of the loopback interface, "127.0.0.1:0" for a free one.
func startServerProcess(t *testing.T, dir, listen string) (c *child, url string) {
	t.Helper()
	c = startChild(t, "TENGEN_CHILD=server", "TENGEN_DIR="+dir, "TENGEN_LISTEN="+listen)
	if !c.out.Scan() {
		c.kill()
		t.Fatalf("the server does not start: %s", &c.stderr)
	}
	return c, c.out.Text()
}

// kill kills the process (SIGKILL) and waits for its end.
func (c *child) kill() {
	c.Process.Kill()
	c.stdin.Close()
	c.Wait()
}

// checkAcknowledged checks that the log holds exactly the games that it should: each of those acknowledged under its
// sequence number, nothing twice, nothing lost. Games that were under way at a kill may be there.
func checkAcknowledged(t *testing.T, l *Log, acknowledged map[uint64]uint64) {
	t.Helper()
	seen := map[uint64]bool{}
	for i, e := range logtest.Entries(t, l, 0) {
		if e.Err != nil || e.Sequence != uint64(i+1) {
			t.Fatalf("entry %d: sequence number %d, error %v", i+1, e.Sequence, e.Err)
		}
		number := e.Game.Number
		if want, ok := acknowledged[number]; ok && want != e.Sequence {
			t.Errorf("game %d has sequence number %d, acknowledged as %d", number, e.Sequence, want)
		}
		if seen[number] {
			t.Errorf("game %d came twice", number)
		}
		if !reflect.DeepEqual(e.Game, logtest.Game(number, 25)) {
			t.Errorf("game %d has changed", number)
		}
		seen[number] = true
		delete(acknowledged, number)
	}
	if len(acknowledged) > 0 {
		t.Errorf("%d acknowledged games are lost: %v", len(acknowledged), acknowledged)
	}
}

// A process that is killed while it plays has every game that was acknowledged.
func TestKilledPublisher(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rng := random.New(2, random.Test)
	acknowledged := map[uint64]uint64{}
	for round := range rounds(10, 100) {
		c := startChild(t, "TENGEN_CHILD=publisher", "TENGEN_DIR="+dir, fmt.Sprintf("TENGEN_FIRST=%d", round*100000))
		kill := rng.IntN(150)
		for lines := 0; c.out.Scan(); lines++ {
			var number, sequence uint64
			if _, err := fmt.Sscan(c.out.Text(), &number, &sequence); err != nil {
				break // torn by the kill
			}
			acknowledged[number] = sequence
			if lines == kill {
				c.Process.Kill()
			}
		}
		c.kill()
		if c.stderr.Len() > 0 {
			t.Fatal(&c.stderr)
		}
	}
	t.Logf("%d games acknowledged", len(acknowledged))
	checkAcknowledged(t, openLog(t, connect(t, startServer(t, ServerConfig{Dir: dir})), LogConfig{}), acknowledged)
}

// A server that is killed again and again under four workers loses nothing, and takes nothing twice.
func TestKilledServer(t *testing.T) {
	t.Parallel()
	const workers, perRound = 4, 60
	dir := t.TempDir()
	c, url := startServerProcess(t, dir, "127.0.0.1:0")
	defer func() { c.kill() }()
	kills := rounds(5, 20)
	games := kills * perRound
	type ack struct{ number, sequence uint64 }
	acks := make(chan ack, workers*games)
	var wait sync.WaitGroup
	for worker := range workers {
		conn, err := Dial(t.Context(), ClientConfig{URL: url, Token: token})
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		l := openLog(t, conn, LogConfig{})
		wait.Go(func() {
			for i := range games {
				number := uint64(i*workers + worker)
				sequence, err := l.Append(t.Context(), fmt.Sprint(worker), logtest.Game(number, 25))
				if err != nil {
					t.Error(err)
				}
				acks <- ack{number, sequence}
			}
		})
	}
	go func() { wait.Wait(); close(acks) }()
	rng := random.New(3, random.Test)
	acknowledged := map[uint64]uint64{}
	next := rng.IntN(perRound)
	for a := range acks {
		acknowledged[a.number] = a.sequence
		if len(acknowledged) == next && kills > 0 {
			c.kill()
			c, _ = startServerProcess(t, dir, strings.TrimPrefix(url, "nats://"))
			kills--
			next += 1 + rng.IntN(perRound*workers)
		}
	}
	conn, err := Dial(t.Context(), ClientConfig{URL: url, Token: token})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if want := workers * games; len(acknowledged) != want || kills > 0 {
		t.Errorf("%d games acknowledged, want %d; %d kills left", len(acknowledged), want, kills)
	}
	checkAcknowledged(t, openLog(t, conn, LogConfig{}), acknowledged)
}

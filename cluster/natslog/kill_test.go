package natslog

import (
	"fmt"
	"net"
	"reflect"
	"strings"
	"sync"
	"testing"

	"tengen/cluster/natslog/natstest"
	"tengen/internal/childtest"
	"tengen/internal/fulltest"
	"tengen/internal/random"
	"tengen/replay/logtest"
)

// startServerProcess runs a server that listens at "host:port", port 0 being a free one.
func startServerProcess(t *testing.T, dir, listen string) (c *childtest.Child, url string) {
	t.Helper()
	c = childtest.Start(t, "TENGEN_CHILD=server", "TENGEN_DIR="+dir, "TENGEN_LISTEN="+listen)
	if !c.Out.Scan() {
		c.End()
		t.Fatalf("the server does not start: %s", &c.Stderr)
	}
	return c, c.Out.Text()
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
	fulltest.Only(t)
	t.Parallel()
	dir := t.TempDir()
	rng := random.New(2, random.Test)
	acknowledged := map[uint64]uint64{}
	for round := range rounds(10, 100) {
		c := childtest.Start(t, "TENGEN_CHILD=publisher", "TENGEN_DIR="+dir, fmt.Sprintf("TENGEN_FIRST=%d", round*100000))
		kill := rng.IntN(1000)
		for lines := 0; c.Out.Scan(); lines++ {
			var number, sequence uint64
			if _, err := fmt.Sscan(c.Out.Text(), &number, &sequence); err != nil {
				break // torn by the kill
			}
			acknowledged[number] = sequence
			if lines == kill {
				c.Kill()
			}
		}
		c.End()
		if c.Stderr.Len() > 0 {
			t.Fatal(&c.Stderr)
		}
	}
	t.Logf("%d games acknowledged", len(acknowledged))
	checkAcknowledged(t, openLog(t, connect(t, startServer(t, ServerConfig{Dir: dir})), LogConfig{}), acknowledged)
}

// A server that is killed again and again under four workers loses nothing, and takes nothing twice.
func TestKilledServer(t *testing.T) {
	fulltest.Only(t)
	t.Parallel()
	const workers, perRound = 4, 60
	dir := t.TempDir()
	c, url := startServerProcess(t, dir, net.JoinHostPort(natstest.Loopback(), "0"))
	defer func() { c.End() }()
	kills := rounds(5, 20)
	games := kills * perRound
	type ack struct{ number, sequence uint64 }
	acks := make(chan ack, workers*games)
	var wait sync.WaitGroup
	for worker := range workers {
		a := openAppender(t, dialWorker(t, url, fmt.Sprint(worker)), fmt.Sprint(worker))
		wait.Go(func() {
			for i := range games {
				number := uint64(i*workers + worker)
				sequence, err := a.Append(t.Context(), logtest.Game(number, 25))
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
			c.End()
			c, _ = startServerProcess(t, dir, strings.TrimPrefix(url, "nats://"))
			kills--
			next += 1 + rng.IntN(perRound*workers)
		}
	}
	c.End()
	if want := workers * games; len(acknowledged) != want || kills > 0 {
		t.Errorf("%d games acknowledged, want %d; %d kills left", len(acknowledged), want, kills)
	}
	checkAcknowledged(t, openLog(t, connect(t, startServer(t, ServerConfig{Dir: dir})), LogConfig{}), acknowledged)
}

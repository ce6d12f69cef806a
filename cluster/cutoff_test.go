package cluster

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"tengen/cluster/access"
	"tengen/cluster/natslog"
	"tengen/internal/fulltest"
	"tengen/replay"
	"tengen/replay/logtest"
)

const bad, good = "bad-ABCDEFGH", "good-ABCDEFGH"

// startGated starts the server of a run in a directory as the run's own, with a gate.
func startGated(t *testing.T, dir string) (s *natslog.Server, caught access.CaughtFile) {
	t.Helper()
	tokenFile := filepath.Join(dir, "token")
	if err := os.WriteFile(tokenFile, []byte(token), 0o600); err != nil {
		t.Fatal(err)
	}
	caught = access.CaughtFile(filepath.Join(dir, "caught.jsonl"))
	gate := access.NewGate(tokenFile, access.List(filepath.Join(dir, "workers.json")), caught, func(err error) { t.Error(err) })
	return startServer(t, natslog.ServerConfig{Dir: filepath.Join(dir, "games"), Listen: "127.0.0.1:0", Admit: gate.Admit}), caught
}

// guest connects to a server as a worker, and calls lost when it loses the connection.
func guest(t *testing.T, url, worker string, lost func()) (js jetstream.JetStream, err error) {
	t.Helper()
	conn, err := natslog.Dial(t.Context(), natslog.ClientConfig{URL: url, Token: token, Worker: worker, OnDisconnect: func(error) { lost() }})
	if err != nil {
		return nil, err
	}
	t.Cleanup(conn.Close)
	return jetstream.New(conn)
}

// mostFlood is more than a worker can send before it is cut off.
const mostFlood = 20_000

// flood sends garbage as a worker until that fails, or it was far too much. The channel is closed then.
func flood(t *testing.T, url, worker string) (ended <-chan struct{}) {
	t.Helper()
	js, err := guest(t, url, worker, func() {})
	if err != nil {
		t.Fatal(err)
	}
	subject, err := natslog.GameSubject("run", worker)
	if err != nil {
		t.Fatal(err)
	}
	end := make(chan struct{})
	go func() {
		defer close(end)
		for i := 0; i < mostFlood && err == nil; i++ {
			_, err = js.Publish(t.Context(), subject, fmt.Append(nil, "garbage ", i))
		}
	}()
	return end
}

// sent is how many entries of a log are garbage of a worker, and the sequence number of the n-th.
func sent(t *testing.T, l *natslog.Log, worker string, n int) (all int, nth uint64) {
	t.Helper()
	for _, e := range logtest.Entries(t, l, 0) {
		if e.Worker == worker && e.Err != nil {
			if all++; all == n {
				nth = e.Sequence
			}
		}
	}
	return all, nth
}

// Who sends garbage without end is cut off and named once, and the games of others go on. It cannot come back, also not when the run
// starts again, before it is pardoned; what it sent before does not count again then.
func TestGarbageIsCutOff(t *testing.T) {
	fulltest.Only(t)
	t.Parallel()
	dir := t.TempDir()
	s, caught := startGated(t, dir)
	cfg := CoordinatorConfig{MaxModelAge: 9, MaxBacklog: 1, Verify: VerifyConfig{Caught: caught, Gated: true}}
	c := startCoordinator(t, connect(t, s), cfg)
	c.publishOrder(t, 0)
	honest := workerConfig(t.TempDir())
	_, stop := startWorker(t, dial(t, s.URL(), honest), honest)
	ended := flood(t, s.URL(), bad)
	cursor, taken := uint64(0), 0
	for going := true; going; {
		select {
		case <-ended:
			going = false
		default:
		}
		cursor = c.next(t, 0, cursor, 20).Cursor
		taken += 20
	}
	before, nth := sent(t, c.log, bad, mostGarbage+1)
	if before >= mostFlood {
		t.Fatalf("nobody keeps a worker from sending %d messages that are no games", before)
	}
	c.next(t, 0, cursor, 60)
	if after, _ := sent(t, c.log, bad, 0); after > before+1 { // one may have been under way
		t.Errorf("the log has %d messages of a worker that was cut off, and then %d", before, after)
	}
	stop()
	lines, err := caught.Read()
	if err != nil || len(lines) != 1 || lines[0].Worker != bad || lines[0].Garbage != mostGarbage+1 || lines[0].Sequence != nth {
		t.Errorf("caught are %+v, %v; want %s by message %d", lines, err, bad, nth)
	}
	told := slices.DeleteFunc(slices.Clone(c.reports), func(r string) bool { return !strings.Contains(r, "is caught") })
	if len(told) != 1 {
		t.Fatalf("it is told %q", told)
	}
	for _, want := range []string{"worker " + bad, "101 messages that are no games", "connection is cut", "take its line out of " + string(caught)} {
		if !strings.Contains(told[0], want) {
			t.Errorf("%q lacks %q", told[0], want)
		}
	}
	c.Close()
	s.Close()

	s, _ = startGated(t, dir)
	_, err = guest(t, s.URL(), bad, func() {})
	wantError(t, err, "worker "+bad+" is revoked, cut off or connected already: the run says which")
	if _, err := guest(t, s.URL(), good, func() {}); err != nil {
		t.Error(err)
	}
	s.Close()

	if err := caught.Write(nil); err != nil {
		t.Fatal(err)
	}
	s, _ = startGated(t, dir)
	pardoned := startCoordinator(t, connect(t, s), cfg)
	if _, err := guest(t, s.URL(), bad, func() {}); err != nil {
		t.Error(err)
	}
	pardoned.next(t, 0, 0, taken) // all that was sent
	if lines, err := caught.Read(); len(lines) > 0 || err != nil {
		t.Errorf("after the pardon %+v are caught, %v", lines, err)
	}
}

// Who has sent a false game is cut off, and named with the way to pardon it.
func TestCheatIsCutOff(t *testing.T) {
	fulltest.Only(t)
	t.Parallel()
	s, caught := startGated(t, t.TempDir())
	cfg := verifyingConfig(string(caught))
	cfg.Verify.Gated = true
	c := startCoordinator(t, connect(t, s), cfg)
	lost := make(chan struct{}, 100)
	if _, err := guest(t, s.URL(), bad, func() { lost <- struct{}{} }); err != nil {
		t.Fatal(err)
	}
	games := recordsOf(entriesOf(t, openPool(seedOfWorker(good), 2, 3), "", 1, verifiedWeights(1), numbersTo(10)))
	for _, worker := range []string{bad, good} {
		for _, g := range games {
			if _, err := c.log.Append(t.Context(), worker, g); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := c.harvests(t, 0, 10)[0].Games; !reflect.DeepEqual(got, games) {
		t.Errorf("%d games are taken, want those of the honest worker", len(got))
	}
	told := strings.Join(c.reports, "\n")
	for _, want := range []string{"worker " + bad + " is caught: its game ", "connection is cut", "take its line out of " + string(caught)} {
		if strings.Count(told, want) != 1 {
			t.Errorf("not once %q is in\n%s", want, told)
		}
	}
	<-lost
	_, err := guest(t, s.URL(), bad, func() {})
	wantError(t, err, "is revoked, cut off or connected already: the run says which")
}

// What counts is what a worker has sent, since the trainer began, that is no game. The process that trains is never caught.
func TestWhatIsGarbage(t *testing.T) {
	garbage := func(worker string, err error) replay.Entry {
		return replay.Entry{Worker: worker, Err: fmt.Errorf("it: %w", err)}
	}
	for name, test := range map[string]struct {
		entry replay.Entry
		many  int
		began uint64 // where the log ended when the trainer began
		want  bool
	}{
		"as many as a worker may send":  {garbage(bad, replay.ErrDamaged), mostGarbage, 0, false},
		"one more":                      {garbage(bad, replay.ErrDamaged), mostGarbage + 1, 0, true},
		"of a later version":            {garbage(bad, replay.ErrVersion), mostGarbage + 1, 0, true},
		"games that are sent again":     {garbage(bad, replay.ErrDuplicate), 500, 0, false},
		"games":                         {replay.Entry{Worker: bad, Game: &replay.Record{Seed: 42}}, 500, 0, false},
		"games of another run":          {replay.Entry{Worker: bad, Game: &replay.Record{Seed: 43}}, 500, 0, true},
		"games against the rules":       {replay.Entry{Worker: bad, Game: &replay.Record{Seed: 42, Model: 9}}, 500, 0, true},
		"lost ones":                     {garbage("", replay.ErrMissing), 500, 0, false},
		"of the run itself":             {garbage(access.Local, replay.ErrDamaged), 500, 0, false},
		"of the trainer's worker":       {garbage("own", replay.ErrDamaged), 500, 0, false},
		"of one before it":              {garbage("local-ABCDEFGH", replay.ErrDamaged), 500, 0, false},
		"in the log when the run began": {garbage(bad, replay.ErrDamaged), 500, 400, false},
	} {
		v, reports := testVerifier(t, VerifyConfig{Caught: access.CaughtFile(filepath.Join(t.TempDir(), "caught.jsonl"))})
		v.trusted["own"], v.counted = true, test.began
		c := &Coordinator{cfg: CoordinatorConfig{Settings: testSettings(), Check: func(g *replay.Record) error {
			if g.Model == 9 {
				return errors.New("an illegal move")
			}
			return nil
		}}}
		found := 0
		for range 2 { // as when an iteration is read again
			for i := range test.many {
				test.entry.Sequence = uint64(i + 1)
				caught, err := v.countGarbage(test.entry, c.garbage(test.entry))
				if err != nil {
					t.Fatal(err)
				}
				if caught {
					found++
				}
			}
		}
		if found > 1 || found > 0 != test.want || len(*reports) != found || len(v.caught) != found {
			t.Errorf("%s: found %d, told %q", name, found, *reports)
		}
		for _, told := range *reports {
			if !strings.Contains(told, "; revoke it on the server") {
				t.Errorf("it is told %q, which does not say to revoke the worker on a server elsewhere", told)
			}
		}
	}
}

// The games of who has sent garbage count all the same, so that it does not matter to the run when a trainer was killed.
func TestGamesBesideGarbage(t *testing.T) {
	v, _ := testVerifier(t, VerifyConfig{})
	for i := range mostGarbage + 1 {
		if _, err := v.countGarbage(replay.Entry{Sequence: uint64(i + 1), Worker: bad}, replay.ErrDamaged); err != nil {
			t.Fatal(err)
		}
	}
	if err := v.allow(replay.Entry{Sequence: 500, Worker: bad}); err != nil || len(v.caught) != 1 {
		t.Errorf("%v, caught are %+v", err, v.caught)
	}
}

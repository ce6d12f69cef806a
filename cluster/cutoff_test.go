package cluster

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"tengen/cluster/access"
	"tengen/cluster/natslog"
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

// Who has sent a false game is cut off, and named with the way to pardon it.
func TestCheatIsCutOff(t *testing.T) {
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

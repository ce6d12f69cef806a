package natslog

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tengen/cluster/natslog/natstest"
	"tengen/internal/childtest"
	"tengen/internal/fulltest"
	"tengen/replay/logtest"
)

// serveInTrio runs a server of a cluster, configured by a file but for its host, ports, routes and folder, until its standard input
// ends.
func serveInTrio() error {
	o, err := server.ProcessConfigFile(os.Getenv("TENGEN_CONF"))
	if err != nil {
		return err
	}
	o.StoreDir, o.NoSigs = os.Getenv("TENGEN_DIR"), true
	o.Routes = server.RoutesFromStr(os.Getenv("TENGEN_ROUTES"))
	if _, err := fmt.Sscan(os.Getenv("TENGEN_LISTEN"), &o.Host, &o.Port, &o.Cluster.Port); err != nil {
		return err
	}
	o.Cluster.Host = o.Host
	s, err := server.NewServer(o)
	if err != nil {
		return err
	}
	s.Start()
	defer s.Shutdown()
	for deadline := time.Now().Add(startTimeout); !s.ReadyForConnections(time.Second) || !s.JetStreamIsCurrent(); {
		if time.Now().After(deadline) {
			return errors.New("the cluster has no leader")
		}
		time.Sleep(10 * time.Millisecond)
	}
	fmt.Println(s.ClientURL())
	io.Copy(io.Discard, os.Stdin)
	return nil
}

// startTrio starts the cluster that docs/nats describes, and returns its servers by name and the URL for Dial, with one of each.
func startTrio(t *testing.T) (members map[string]*childtest.Child, url string) {
	t.Helper()
	names := []string{"a", "b", "c"}
	host := natstest.Loopback()
	ports := freePorts(t, host, 2*len(names))
	var routes []string
	for i := range names {
		routes = append(routes, fmt.Sprintf("nats://%s:%d", host, ports[2*i+1]))
	}
	members = map[string]*childtest.Child{}
	conf := documented(t)
	for i, name := range names {
		members[name] = childtest.Start(t, "TENGEN_CHILD=trio", "TENGEN_DIR="+t.TempDir(),
			"TENGEN_CONF="+filepath.Join(conf, name+".conf"), "TENGEN_ROUTES="+strings.Join(routes, ","),
			fmt.Sprintf("TENGEN_LISTEN=%s %d %d", host, ports[2*i], ports[2*i+1]))
		t.Cleanup(members[name].End)
	}
	var urls []string
	for _, c := range members {
		if !c.Out.Scan() {
			t.Fatalf("a server does not start: %s", &c.Stderr)
		}
		urls = append(urls, c.Out.Text())
	}
	return members, strings.Join(urls, ",")
}

// freePorts returns ports of a host that nobody uses.
func freePorts(t *testing.T, host string, n int) (ports []int) {
	t.Helper()
	for range n {
		l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close() // when all are found, so that they differ
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports
}

// Of three servers one is killed under four workers, with -acceptance the one that leads: every acknowledged game is there
// once, and the other two go on.
func TestTrio(t *testing.T) {
	fulltest.Only(t)
	t.Parallel()
	members, url := startTrio(t)
	l := openLog(t, dialAs(t, url, "trainer", ""), LogConfig{Replicas: 3})
	info, err := l.games.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n := len(info.Cluster.Replicas); n != 2 {
		t.Fatalf("%d servers besides %s keep the games, want 2", n, info.Cluster.Leader)
	}

	victim := info.Cluster.Replicas[0].Name
	if *acceptance {
		victim = info.Cluster.Leader // electing another takes seconds
	}
	const workers, games, killAfter = 4, 100, 150
	var mu sync.Mutex
	acknowledged := map[uint64]uint64{}
	var wait sync.WaitGroup
	for worker := range workers {
		name := fmt.Sprint("me-WORKER", worker)
		a := openAppender(t, dialAs(t, url, "me", name), name)
		wait.Go(func() {
			for i := range games {
				number := uint64(i*workers + worker)
				sequence, err := a.Append(t.Context(), logtest.Game(number, 25))
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				acknowledged[number] = sequence
				if len(acknowledged) == killAfter {
					members[victim].End()
				}
				mu.Unlock()
			}
		})
	}
	begin := time.Now()
	wait.Wait()
	t.Logf("%d games acknowledged in %v", len(acknowledged), time.Since(begin))
	if len(acknowledged) != workers*games {
		t.Errorf("%d games acknowledged, want %d", len(acknowledged), workers*games)
	}
	checkAcknowledged(t, l, acknowledged)
}

// Workers can do on each of three servers what they are there for, and nothing else, wherever the entries and games are kept that they
// ask for.
func TestTrioWorkers(t *testing.T) {
	fulltest.Only(t)
	t.Parallel()
	_, url := startTrio(t)
	trainer := dialAs(t, url, "trainer", "")
	js, err := jetstream.New(trainer)
	if err != nil {
		t.Fatal(err)
	}
	for i, one := range strings.Split(url, ",") {
		checks := map[string]func(*testing.T){
			"may": func(t *testing.T) { checkWorkerMay(t, trainer, 3, dialAs(t, one, "me", "me-ABCDEFGH"), "me-ABCDEFGH") },
			"may not": func(t *testing.T) {
				checkWorkerMayNot(t, trainer, 3, one, nats.UserInfo("me", token), nats.CustomInboxPrefix("_INBOX.me"))
			},
		}
		for what, check := range checks {
			t.Run(fmt.Sprint(i, " ", what), check)
			for _, name := range streamNames(t, trainer) {
				if err := js.DeleteStream(t.Context(), name); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

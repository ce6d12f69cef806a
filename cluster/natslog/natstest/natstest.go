// Package natstest helps with NATS servers in tests: it starts them as others run them, without anything of package natslog, and knows
// where they can listen and what they leave behind.
package natstest

import (
	"fmt"
	"net"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"go.uber.org/goleak"
)

// Upstream are goroutines that outlive what started them by races of other modules: in nats.go, one that can begin after what it
// waits for has been taken away; in nats-server, those of a batch of messages that begins while the server stops.
var Upstream = []goleak.Option{
	goleak.IgnoreTopFunction("github.com/nats-io/nats.go/jetstream.(*jetStream).resetPendingAcksOnReconnect"),
	goleak.IgnoreTopFunction("github.com/nats-io/nats-server/v2/server.(*msgBlock).flushLoop"),
	goleak.IgnoreTopFunction("github.com/nats-io/nats-server/v2/server.(*fileStore).flushStreamStateLoop"),
	goleak.IgnoreTopFunction("github.com/nats-io/nats-server/v2/server/ats.Register.func1"),
}

var hosts atomic.Int32

// Loopback is another host at each call, on this machine, at which nobody else listens: a port that is given up there is free until
// it is taken again. Where the system has no such hosts it is 127.0.0.1.
func Loopback() (host string) {
	pid := os.Getpid() // of several test programs that run at the same time
	host = fmt.Sprintf("127.%d.%d.%d", 100+hosts.Add(1)%100, pid>>8&255, pid&255)
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return "127.0.0.1"
	}
	l.Close()
	return host
}

// Start starts a server, which ends with the test.
func Start(t testing.TB, o *server.Options) *server.Server {
	t.Helper()
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the server does not start")
	}
	return s
}

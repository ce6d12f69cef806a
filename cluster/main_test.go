package cluster

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"tengen/internal/disktest"
)

// More rounds of everything that is killed or damaged are run by
//
//	go test ./cluster/... -timeout 30m -args -acceptance
var acceptance = flag.Bool("acceptance", false, "also run what takes minutes: more kills, more damage")

// rounds is the number of rounds that a test makes.
func rounds(normally, withAcceptance int) int {
	if *acceptance {
		return withAcceptance
	}
	return normally
}

const token = "open sesame"

// upstream are goroutines that outlive what started them by races of other modules: in nats.go, one that can begin after what it
// waits for has been taken away; in nats-server, those of a batch of messages that begins while the server stops.
var upstream = []goleak.Option{
	goleak.IgnoreTopFunction("github.com/nats-io/nats.go/jetstream.(*jetStream).resetPendingAcksOnReconnect"),
	goleak.IgnoreTopFunction("github.com/nats-io/nats-server/v2/server.(*msgBlock).flushLoop"),
	goleak.IgnoreTopFunction("github.com/nats-io/nats-server/v2/server.(*fileStore).flushStreamStateLoop"),
	goleak.IgnoreTopFunction("github.com/nats-io/nats-server/v2/server/ats.Register.func1"),
}

// TestMain runs the tests or, as a child process, a worker or its spool.
func TestMain(m *testing.M) {
	disktest.Child()
	child := map[string]func() error{"worker": playUntilKilled, "spool": keepAndSend}[os.Getenv("TENGEN_CHILD")]
	if child == nil {
		goleak.VerifyTestMain(m, upstream...)
		return
	}
	if err := child(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

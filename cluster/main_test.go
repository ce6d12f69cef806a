package cluster

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
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

// TestMain runs the tests or, as a child process, a worker.
func TestMain(m *testing.M) {
	if os.Getenv("TENGEN_CHILD") == "" {
		// A race in nats.go: the goroutine can begin after what it waits for has been taken away.
		goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("github.com/nats-io/nats.go/jetstream.(*jetStream).resetPendingAcksOnReconnect"))
		return
	}
	if err := playUntilKilled(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

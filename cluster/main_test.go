package cluster

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"tengen/cluster/natslog/natstest"
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

// TestMain runs the tests or, as a child process, a worker or its spool.
func TestMain(m *testing.M) {
	disktest.Child()
	child := map[string]func() error{"worker": playUntilKilled, "spool": keepAndSend}[os.Getenv("TENGEN_CHILD")]
	if child == nil {
		goleak.VerifyTestMain(m, natstest.Upstream...)
		return
	}
	if err := child(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

package natslog

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"tengen/replay/logtest"
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

// TestMain runs the tests, or, as a child process, what the environment names.
func TestMain(m *testing.M) {
	children := map[string]func() error{"": nil, "server": serve, "trio": serveInTrio, "publisher": publish}
	child := children[os.Getenv("TENGEN_CHILD")]
	if child == nil {
		// A race in nats.go: the goroutine can begin after what it waits for has been taken away.
		goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("github.com/nats-io/nats.go/jetstream.(*jetStream).resetPendingAcksOnReconnect"))
		return
	}
	if err := child(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve runs a server until its standard input ends.
func serve() error {
	s, err := StartServer(ServerConfig{Dir: os.Getenv("TENGEN_DIR"), Listen: os.Getenv("TENGEN_LISTEN"), Token: token})
	if err != nil {
		return err
	}
	fmt.Println(s.URL())
	io.Copy(io.Discard, os.Stdin)
	return s.Close()
}

// publish appends games from four goroutines to a server of its own until it is killed, and prints the numbers of those
// that are acknowledged, and their sequence numbers.
func publish() error {
	ctx := context.Background()
	first, err := strconv.Atoi(os.Getenv("TENGEN_FIRST"))
	if err != nil {
		return err
	}
	s, err := StartServer(ServerConfig{Dir: os.Getenv("TENGEN_DIR")})
	if err != nil {
		return err
	}
	conn, err := s.Connect(ctx)
	if err != nil {
		return err
	}
	l, err := OpenLog(ctx, conn, LogConfig{Run: "run"})
	if err != nil {
		return err
	}
	var wait sync.WaitGroup
	for worker := range 4 {
		wait.Go(func() {
			for i := first + worker; ; i += 4 {
				sequence, err := l.Append(ctx, "w", logtest.Game(uint64(i), 25))
				if err != nil {
					fmt.Fprintln(os.Stderr, err)
					return
				}
				fmt.Printf("%d %d\n", i, sequence)
			}
		})
	}
	wait.Wait()
	return nil
}

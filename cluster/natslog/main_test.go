package natslog

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"tengen/cluster/natslog/natstest"
	"tengen/internal/disktest"
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
	disktest.Child()
	children := map[string]func() error{"": nil, "server": serve, "trio": serveInTrio, "publisher": publish, "keeper": keep}
	child := children[os.Getenv("TENGEN_CHILD")]
	if child == nil {
		goleak.VerifyTestMain(m, natstest.Upstream...)
		return
	}
	if err := child(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve runs a server with a log until its standard input ends.
func serve() error {
	s, err := StartServer(ServerConfig{Dir: os.Getenv("TENGEN_DIR"), Listen: os.Getenv("TENGEN_LISTEN"), Admit: admit})
	if err != nil {
		return err
	}
	if _, err := openOn(context.Background(), s); err != nil {
		return err
	}
	fmt.Println(s.URL())
	io.Copy(io.Discard, os.Stdin)
	return s.Close()
}

// publish appends games from many goroutines to a server of its own until it is killed, and prints the numbers of those
// that are acknowledged, and their sequence numbers.
func publish() error {
	ctx := context.Background()
	first, err := strconv.Atoi(os.Getenv("TENGEN_FIRST"))
	if err != nil {
		return err
	}
	_, l, err := openOwn(ctx)
	if err != nil {
		return err
	}
	const goroutines = 64 // so that there are batches
	appendPrinting(ctx, l, goroutines, first, math.MaxInt)
	return nil
}

// openOwn starts the server of a process of its own, and opens its log.
func openOwn(ctx context.Context) (*Server, *Log, error) {
	s, err := StartServer(ServerConfig{Dir: os.Getenv("TENGEN_DIR")})
	if err != nil {
		return nil, nil, err
	}
	l, err := openOn(ctx, s)
	return s, l, err
}

// openOn opens the log of a server of this process.
func openOn(ctx context.Context, s *Server) (*Log, error) {
	conn, err := s.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return OpenLog(ctx, conn, LogConfig{Run: "run"})
}

// appendPrinting appends the games from first up to end from so many goroutines, and prints number and sequence number of each that
// is acknowledged.
func appendPrinting(ctx context.Context, l *Log, goroutines, first, end int) {
	var wait sync.WaitGroup
	for worker := range goroutines {
		wait.Go(func() {
			for i := first + worker; i < end; i += goroutines {
				sequence, err := l.Append(ctx, "w", logtest.Game(uint64(i), damagedMoves))
				if err != nil {
					fmt.Fprintln(os.Stderr, err)
					return
				}
				fmt.Printf("%d %d\n", i, sequence)
			}
		})
	}
	wait.Wait()
}

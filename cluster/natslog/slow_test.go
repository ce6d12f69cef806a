package natslog

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"tengen/internal/fulltest"
	"tengen/internal/slowlink"
	"tengen/replay/logtest"
)

// slowly returns the URL of a server at the end of a line far away.
func slowly(t *testing.T, s *Server, roundTrip time.Duration) (url string) {
	t.Helper()
	p := &slowlink.Proxy{Target: slowlink.To(strings.TrimPrefix(s.URL(), "nats://")), Delay: roundTrip / 2}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return "nats://" + p.Addr()
}

// sentAgain is how many messages a publisher may send in vain at the most, when so many games have taken so long: it waits ackWaitMin
// at least before it sends what is left of them again, each in a batch and then by itself.
func sentAgain(games int, took time.Duration) int { return 2 * games * int(took/ackWaitMin) }

// Where the way there and back takes long, games come through nevertheless, and none is sent twice.
func TestSlowLink(t *testing.T) {
	fulltest.Only(t)
	t.Parallel()
	for _, roundTrip := range []time.Duration{500 * time.Millisecond, time.Second} {
		t.Run(fmt.Sprint(roundTrip), func(t *testing.T) {
			t.Parallel()
			const workers, games = 2, 40
			s := startServer(t, ServerConfig{Listen: "127.0.0.1:0", Admit: admit})
			l := openLog(t, connect(t, s), LogConfig{})
			sent := countMessages(t, connect(t, s), "games.>") // also games that are there already
			url := slowly(t, s, roundTrip)
			var appenders []*Appender
			for worker := range workers {
				appenders = append(appenders, openAppender(t, dialWorker(t, url, fmt.Sprint(worker)), fmt.Sprint(worker)))
			}
			begin := time.Now()
			var appending sync.WaitGroup
			for _, a := range appenders {
				for number := range uint64(games) {
					appending.Go(func() {
						if _, err := a.Append(t.Context(), logtest.Game(number, 25)); err != nil {
							t.Error(err)
						}
					})
				}
			}
			appending.Wait()
			took := time.Since(begin)
			if n := sent(); n < workers*games || n > workers*games+workers*sentAgain(games, took) {
				t.Errorf("%d messages were sent for %d games in %v", n, workers*games, took)
			}
			if last, err := l.Last(t.Context()); err != nil || last != workers*games {
				t.Errorf("the log ends with %d, error %v", last, err)
			}
		})
	}
}

// TLS takes more ways there and back, and a server waits for them: so does a client.
func TestSlowTLS(t *testing.T) {
	fulltest.Only(t)
	t.Parallel()
	cert, key := writeCertificate(t)
	s := startServer(t, ServerConfig{Listen: "127.0.0.1:0", Admit: admit, CertFile: cert, KeyFile: key})
	url := slowly(t, s, time.Second)
	conn, err := Dial(t.Context(), ClientConfig{URL: url, Token: token, Worker: "w-ABCDEFGH", CA: cert})
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
}

// Where answers take longer than the publisher waits, it soon waits longer: games are sent again a few times, not for ever.
func TestAnswersLaterThanExpected(t *testing.T) {
	fulltest.Only(t)
	t.Parallel()
	const roundTrip, games = 600 * time.Millisecond, 20
	s := startServer(t, ServerConfig{Listen: "127.0.0.1:0", Admit: admit})
	l := openLog(t, connect(t, s), LogConfig{})
	sent := countMessages(t, connect(t, s), "games.>") // also games that are there already
	a := openAppender(t, dialWorker(t, slowly(t, s, roundTrip), "w"), "w")
	a.ack.wait = roundTrip / 5
	appendAll := func(first uint64) (again int) {
		begin := time.Now()
		var appending sync.WaitGroup
		for i := range uint64(games) {
			appending.Go(func() {
				if _, err := a.Append(t.Context(), logtest.Game(first+i, 25)); err != nil {
					t.Error(err)
				}
			})
		}
		appending.Wait()
		return sentAgain(games, time.Since(begin))
	}
	again := appendAll(0)
	first := sent()
	t.Logf("%d messages were sent for the first %d games", first, games)
	if first > 12*games+again {
		t.Errorf("%d messages were sent for %d games", first, games)
	}
	again = appendAll(games)
	if n := sent(); n < first+games || n > first+games+again {
		t.Errorf("then %d messages were sent for %d games", n-first, games)
	}
	entries := logtest.Entries(t, l, 0)
	if len(entries) != 2*games {
		t.Errorf("the log has %d entries, want %d", len(entries), 2*games)
	}
}

// After a loss of the connection the attempts become rarer, and no two workers make them together.
func TestReconnectDelay(t *testing.T) {
	for attempt, most := range map[int]time.Duration{
		1: reconnectWait, 2: 2 * reconnectWait, 5: 16 * reconnectWait, 7: reconnectMax, 1_000_000: reconnectMax,
	} {
		delays := map[time.Duration]bool{}
		longest := time.Duration(0)
		for range 1000 {
			delay := reconnectDelay(attempt)
			delays[delay], longest = true, max(longest, delay)
		}
		if longest >= most || longest < most/2 || len(delays) < 500 {
			t.Errorf("attempt %d: up to %v, want %v, with %d delays of 1000 different", attempt, longest, most, len(delays))
		}
	}
}

// A connection that is cut without a word is given up.
func TestSilentCut(t *testing.T) {
	if !*acceptance {
		t.Skip("signs of life are missed for half a minute")
	}
	t.Parallel()
	lost := make(chan error, 9)
	conn, err := Dial(t.Context(), ClientConfig{URL: silentServer(t), OnDisconnect: func(err error) { lost <- err }})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	begin := time.Now()
	if err := <-lost; !errors.Is(err, nats.ErrStaleConnection) {
		t.Errorf("the connection is lost with %v", err)
	}
	t.Logf("found after %v", time.Since(begin))
}

// silentServer is a server that greets, and then says nothing more. It returns the URL for Dial.
func silentServer(t *testing.T) (url string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			serving.Go(func() {
				defer conn.Close()
				io.WriteString(conn, "INFO {\"max_payload\":1000000}\r\n")
				for in := bufio.NewReader(conn); ; {
					line, err := in.ReadString('\n')
					if err != nil {
						return
					}
					if strings.TrimSpace(line) == "PING" {
						io.WriteString(conn, "PONG\r\n")
						io.Copy(io.Discard, in)
						return
					}
				}
			})
		}
	})
	t.Cleanup(func() { l.Close(); serving.Wait() })
	return "nats://" + l.Addr().String()
}

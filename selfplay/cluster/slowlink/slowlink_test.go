package slowlink

import (
	"bytes"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// echo answers each connection with what it says, until the test ends.
func echo(t *testing.T) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	wait.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			wait.Go(func() {
				io.Copy(conn, conn)
				conn.Close()
			})
		}
	})
	t.Cleanup(func() { l.Close(); wait.Wait() })
	return l.Addr().String()
}

func start(t *testing.T, p *Proxy) {
	t.Helper()
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
}

func dial(t *testing.T, p *Proxy) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", p.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// Connections share the rate, and everything arrives as it was sent, no sooner than rate and delay allow.
func TestProxy(t *testing.T) {
	const size, conns = 100_000, 2
	p := &Proxy{Target: To(echo(t)), Rate: 400_000, Delay: 50 * time.Millisecond}
	start(t, p)
	begin := time.Now()
	var wait sync.WaitGroup
	for i := range conns {
		conn := dial(t, p)
		sent := bytes.Repeat([]byte{byte(i), 1, 2}, size/3)
		wait.Go(func() { conn.Write(sent) })
		wait.Go(func() {
			got := make([]byte, len(sent))
			if _, err := io.ReadFull(conn, got); err != nil || !bytes.Equal(got, sent) {
				t.Errorf("connection %d: another answer, %v", i, err)
			}
		})
	}
	wait.Wait()
	least := 2*p.Delay + conns*size*time.Second/time.Duration(p.Rate) - 10*time.Millisecond
	if took := time.Since(begin); took < least {
		t.Errorf("took %v, want at least %v", took, least)
	}
	if up, down := p.Passed(); up != conns*(size/3*3) || down != up {
		t.Errorf("passed %d and %d bytes, want %d", up, down, conns*size)
	}
}

// After a cut the old connections are gone, and new ones work.
func TestCut(t *testing.T) {
	p := &Proxy{Target: To(echo(t))}
	start(t, p)
	for range 3 {
		conn := dial(t, p)
		got := make([]byte, 1)
		if _, err := conn.Write([]byte{7}); err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Read(got); err != nil || got[0] != 7 {
			t.Fatalf("answer %v, %v", got, err)
		}
		p.Cut()
		if _, err := conn.Read(got); err == nil {
			t.Error("a connection outlives the cut")
		}
	}
}

// Where nobody answers, a connection ends, and Close leaves nothing behind.
func TestNobodyThere(t *testing.T) {
	defer goleak.VerifyNone(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{Target: To(l.Addr().String())}
	start(t, p)
	l.Close() // after the proxy has a port, which would else be this one at times
	if _, err := dial(t, p).Read(make([]byte, 1)); err == nil {
		t.Error("somebody answers")
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

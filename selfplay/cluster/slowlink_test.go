package cluster

import (
	"bytes"
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

// slowLink simulates a slow network: a TCP proxy with limited bandwidth and added latency. Its methods are safe for
// concurrent use.
//
// It loses no packets and accepts without delay.
type slowLink struct {
	target   string
	rate     int
	delay    time.Duration
	listener net.Listener
	running  sync.WaitGroup

	mu    sync.Mutex
	conns []net.Conn
}

const (
	packetSize = 4 << 10
	// socketBuffer is the size of a connection's system buffers. The usual megabytes would hold minutes of slow
	// traffic.
	socketBuffer = 64 << 10
	// inFlight limits the packets in flight in one direction of a connection.
	inFlight = 1 << 10
)

// newSlowLink returns a proxy to target, "host:port", that ends with the test. Each direction of a connection carries rate
// bytes a second, delay late.
func newSlowLink(t testing.TB, target string, rate int, delay time.Duration) *slowLink {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &slowLink{target: target, rate: rate, delay: delay, listener: listener}
	p.running.Go(p.accept)
	t.Cleanup(func() {
		listener.Close()
		p.running.Wait()
	})
	return p
}

// addr returns the address to connect to.
func (p *slowLink) addr() string { return p.listener.Addr().String() }

// cut closes all connections. The proxy accepts new ones.
func (p *slowLink) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, conn := range p.conns {
		conn.Close()
	}
	p.conns = nil
}

func (p *slowLink) accept() {
	defer p.cut()
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.target)
		if err != nil {
			client.Close()
			continue
		}
		p.connect(client.(*net.TCPConn), server.(*net.TCPConn))
	}
}

func (p *slowLink) connect(client, server *net.TCPConn) {
	for _, conn := range []*net.TCPConn{client, server} {
		conn.SetReadBuffer(socketBuffer)
		conn.SetWriteBuffer(socketBuffer)
	}
	p.mu.Lock()
	p.conns = append(p.conns, client, server)
	p.mu.Unlock()
	p.running.Go(func() { p.pass(client, server) })
	p.running.Go(func() { p.pass(server, client) })
}

type packet struct {
	data []byte
	due  time.Time
}

// pass forwards one direction until either connection closes, then closes both.
func (p *slowLink) pass(from, to net.Conn) {
	packets := make(chan packet, inFlight)
	p.running.Go(func() {
		defer to.Close()
		for next := range packets {
			time.Sleep(time.Until(next.due))
			to.Write(next.data) // after an error, all that follow fail
		}
	})
	defer from.Close()
	defer close(packets)
	for {
		data := make([]byte, packetSize)
		n, err := from.Read(data)
		time.Sleep(time.Duration(n) * time.Second / time.Duration(p.rate))
		packets <- packet{data[:n], time.Now().Add(p.delay)}
		if err != nil {
			return
		}
	}
}

// Data arrives unchanged, no sooner than rate and delay allow. After a cut, the old connection is gone and a new one
// works. A connection to a closed target ends.
func TestSlowLinkItself(t *testing.T) {
	const size, rate, delay = 50_000, 400_000, 50 * time.Millisecond
	echo, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer echo.Close()
	go func() {
		for conn, err := echo.Accept(); err == nil; conn, err = echo.Accept() {
			go func() {
				io.Copy(conn, conn)
				conn.Close()
			}()
		}
	}()
	p := newSlowLink(t, echo.Addr().String(), rate, delay)
	dial := func() net.Conn {
		conn, err := net.Dial("tcp", p.addr())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		return conn
	}
	sent, got := bytes.Repeat([]byte{3, 1, 2, 0, 9}, size/5), make([]byte, size)
	for range 2 {
		conn, begin := dial(), time.Now()
		go conn.Write(sent)
		if _, err := io.ReadFull(conn, got); err != nil || !bytes.Equal(got, sent) {
			t.Errorf("the answer differs: %v", err)
		}
		if took, least := time.Since(begin), 2*delay+size*time.Second/rate-10*time.Millisecond; took < least {
			t.Errorf("took %v, want at least %v", took, least)
		}
		p.cut()
		if _, err := conn.Read(got); err == nil {
			t.Error("a connection outlives the cut")
		}
	}
	echo.Close()
	if _, err := dial().Read(got); err == nil {
		t.Error("a closed target answers")
	}
}

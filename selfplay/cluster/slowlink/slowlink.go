// Package slowlink simulates a slow network for tests: a TCP proxy with limited bandwidth and added latency.
package slowlink

import (
	"net"
	"sync"
	"testing"
	"time"
)

// Proxy forwards TCP connections to a target. Its methods are safe for concurrent use.
//
// It loses no packets and accepts without delay.
type Proxy struct {
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

// Start returns a proxy to target, "host:port", that ends with the test. Each direction of a connection carries rate
// bytes a second, delay late.
func Start(t testing.TB, target string, rate int, delay time.Duration) *Proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{target: target, rate: rate, delay: delay, listener: listener}
	p.running.Go(p.accept)
	t.Cleanup(func() {
		listener.Close()
		p.running.Wait()
	})
	return p
}

// Addr returns the address to connect to.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// Cut closes all connections. The proxy accepts new ones.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, conn := range p.conns {
		conn.Close()
	}
	p.conns = nil
}

func (p *Proxy) accept() {
	defer p.Cut()
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

func (p *Proxy) connect(client, server *net.TCPConn) {
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
func (p *Proxy) pass(from, to net.Conn) {
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

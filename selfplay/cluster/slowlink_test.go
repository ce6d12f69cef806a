package cluster

import (
	"net"
	"sync"
	"testing"
	"time"
)

// slowLink is a TCP proxy with limited bandwidth. Its methods are safe for concurrent use.
type slowLink struct {
	target   string
	rate     int // bytes a second, of each direction of a connection
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
)

// newSlowLink returns a proxy to target, "host:port", that ends with the test.
func newSlowLink(t testing.TB, target string, rate int) *slowLink {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &slowLink{target: target, rate: rate, listener: listener}
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
		for _, conn := range []net.Conn{client, server} {
			conn.(*net.TCPConn).SetReadBuffer(socketBuffer)
			conn.(*net.TCPConn).SetWriteBuffer(socketBuffer)
		}
		p.mu.Lock()
		p.conns = append(p.conns, client, server)
		p.mu.Unlock()
		p.running.Go(func() { p.pass(client, server) })
		p.running.Go(func() { p.pass(server, client) })
	}
}

// pass forwards one direction until either connection closes, then closes both.
func (p *slowLink) pass(from, to net.Conn) {
	defer from.Close()
	defer to.Close()
	data := make([]byte, packetSize)
	for {
		n, err := from.Read(data)
		time.Sleep(time.Duration(n) * time.Second / time.Duration(p.rate))
		if _, failed := to.Write(data[:n]); err != nil || failed != nil {
			return
		}
	}
}

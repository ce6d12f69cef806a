// Package slowlink simulates a slow network for tests: a TCP proxy with limited bandwidth and added latency.
package slowlink

import (
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Proxy forwards TCP connections to a target over one shared slow line. Set the fields before Start. Its methods are
// safe for concurrent use.
//
// A proxy shows the effects of bandwidth and latency on applications, not on TCP: it terminates both halves of a
// connection, loses no packets and accepts without delay.
type Proxy struct {
	Target func() string // returns "host:port" for each connection
	Rate   int           // bytes a second in each direction; 0: no limit
	Delay  time.Duration // in each direction: half a round trip

	listener net.Listener
	up, down line // towards the target, and back
	wait     sync.WaitGroup

	mu    sync.Mutex
	conns map[net.Conn]bool
}

type line struct {
	rate   int
	delay  time.Duration
	passed atomic.Int64 // bytes

	mu   sync.Mutex
	free time.Time // when the last packet has left
}

const (
	packet = 4 << 10 // bytes
	// socketBuffer is the size in bytes of a connection's system buffers. The usual megabytes hold minutes of slow
	// traffic.
	socketBuffer = 64 << 10
	// flying is the most packets in flight in one direction of a connection.
	flying = 1 << 10
)

// To returns a target that is always the given address.
func To(address string) func() string { return func() string { return address } }

// Start listens on a free port of the loopback interface.
func (p *Proxy) Start() (err error) {
	p.listener, err = net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("slow link: %w", err)
	}
	p.up.rate, p.up.delay = p.Rate, p.Delay
	p.down.rate, p.down.delay = p.Rate, p.Delay
	p.conns = map[net.Conn]bool{}
	p.wait.Go(p.accept)
	return nil
}

// Addr returns the address to connect to.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// Passed returns the bytes sent towards the target and back.
func (p *Proxy) Passed() (up, down int64) { return p.up.passed.Load(), p.down.passed.Load() }

// Cut closes all connections. The proxy still accepts new ones.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for conn := range p.conns {
		conn.Close()
	}
}

// Close stops the proxy and waits for its goroutines.
func (p *Proxy) Close() error {
	err := p.listener.Close()
	p.Cut()
	p.wait.Wait()
	return err
}

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			p.Cut() // connections accepted meanwhile
			return
		}
		if err == nil {
			p.keep(client)
			p.wait.Go(func() { p.connect(client) })
		}
	}
}

func (p *Proxy) keep(conn net.Conn) {
	tcp := conn.(*net.TCPConn)
	tcp.SetReadBuffer(socketBuffer)
	tcp.SetWriteBuffer(socketBuffer)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conns[conn] = true
}

func (p *Proxy) drop(conn net.Conn) {
	conn.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, conn)
}

func (p *Proxy) connect(client net.Conn) {
	defer p.drop(client)
	server, err := net.Dial("tcp", p.Target())
	if err != nil {
		return
	}
	p.keep(server)
	defer p.drop(server)
	var both sync.WaitGroup
	hangUp := func() { client.Close(); server.Close() }
	both.Go(func() { p.up.pass(server, client); hangUp() })
	both.Go(func() { p.down.pass(client, server); hangUp() })
	both.Wait()
}

type arrival struct {
	data []byte
	at   time.Time
}

func (l *line) pass(to io.Writer, from io.Reader) {
	arrivals := make(chan arrival, flying)
	var arriving sync.WaitGroup
	arriving.Go(func() {
		for a := range arrivals {
			time.Sleep(time.Until(a.at))
			if _, err := to.Write(a.data); err != nil {
				break
			}
		}
		for range arrivals { // the receiver is gone
		}
	})
	defer arriving.Wait()
	defer close(arrivals)
	buffer := make([]byte, packet)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			left := l.send(n)
			arrivals <- arrival{append([]byte(nil), buffer[:n]...), left.Add(l.delay)}
		}
		if err != nil {
			return
		}
	}
}

// send waits until n bytes have left the line, and returns that time.
func (l *line) send(n int) time.Time {
	l.passed.Add(int64(n))
	l.mu.Lock()
	now := time.Now()
	if l.free.Before(now) {
		l.free = now
	}
	if l.rate > 0 {
		l.free = l.free.Add(time.Duration(n) * time.Second / time.Duration(l.rate))
	}
	left := l.free
	l.mu.Unlock()
	time.Sleep(time.Until(left))
	return left
}

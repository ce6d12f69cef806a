// Package slowlink is a slow network for tests: a TCP proxy with the rate and the delay of a line far away.
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

// Proxy passes TCP connections on to a target over one slow line, which they share. The fields are set before Start. Its
// methods may be called by several goroutines at once.
//
// A proxy ends both halves of a connection itself, so it shows what rate and delay do to those who talk, not what they do to TCP:
// nothing is lost on the way, and a connection is accepted without delay.
type Proxy struct {
	Target func() string // "host:port", asked at each connection
	Rate   int           // bytes a second in each direction; 0: no limit
	Delay  time.Duration // of each direction, half of a round trip

	listener net.Listener
	up, down line // towards the target, and back
	wait     sync.WaitGroup

	mu    sync.Mutex
	conns map[net.Conn]bool
}

// line is a direction of the proxy. Packets follow one another, however many connections they belong to.
type line struct {
	rate   int
	delay  time.Duration
	passed atomic.Int64 // bytes

	mu   sync.Mutex
	free time.Time // when the last packet has left
}

const (
	packet = 4 << 10 // bytes
	// socketBuffer is what the system may keep of each connection before the line, in bytes. The usual megabytes would be minutes of
	// a slow line.
	socketBuffer = 64 << 10
	// flying is the number of packets that may be on the line.
	flying = 1 << 10
)

// To is a Target that does not change.
func To(address string) func() string { return func() string { return address } }

// Start listens at a free port of this machine.
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

// Addr is the address to connect to, "host:port".
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// Passed is the number of bytes that have passed towards the target and back.
func (p *Proxy) Passed() (up, down int64) { return p.up.passed.Load(), p.down.passed.Load() }

// Cut ends all connections. New ones are taken.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for conn := range p.conns {
		conn.Close()
	}
}

// Close ends everything, and returns when nothing is left.
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
			p.Cut() // a connection that was accepted meanwhile
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

// connect passes on what both sides say until one of them hangs up.
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

// arrival is a packet on its way.
type arrival struct {
	data []byte
	at   time.Time
}

// pass carries packets from one end to the other.
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
		for range arrivals { // nobody is there any more
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

// send returns when n bytes have left, and at what time that was.
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

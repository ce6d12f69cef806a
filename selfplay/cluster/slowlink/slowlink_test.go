package slowlink

import (
	"bytes"
	"io"
	"net"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Data arrives unchanged, no sooner than rate and delay allow. After a cut, the old connection is gone and a new one
// works. A connection to a closed target ends.
func TestProxy(t *testing.T) {
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
	p := Start(t, echo.Addr().String(), rate, delay)
	dial := func() net.Conn {
		conn, err := net.Dial("tcp", p.Addr())
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
		p.Cut()
		if _, err := conn.Read(got); err == nil {
			t.Error("a connection outlives the cut")
		}
	}
	echo.Close()
	if _, err := dial().Read(got); err == nil {
		t.Error("a closed target answers")
	}
}

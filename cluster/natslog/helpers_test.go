package natslog

import (
	"testing"

	"github.com/nats-io/nats.go"
)

func startServer(t testing.TB, cfg ServerConfig) *Server {
	t.Helper()
	if cfg.Dir == "" {
		cfg.Dir = t.TempDir()
	}
	s, err := StartServer(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func connect(t testing.TB, s *Server) *nats.Conn {
	t.Helper()
	conn, err := s.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

func openLog(t testing.TB, conn *nats.Conn, cfg LogConfig) *Log {
	t.Helper()
	if cfg.Run == "" {
		cfg.Run = "run"
	}
	l, err := OpenLog(t.Context(), conn, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// countMessages returns what counts the messages on a subject, from now on, whoever sends them.
func countMessages(t *testing.T, conn *nats.Conn, subject string) (count func() int) {
	t.Helper()
	sub, err := conn.SubscribeSync(subject)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sub.Unsubscribe() })
	count = func() int {
		if err := conn.Flush(); err != nil { // what was sent before has arrived then
			t.Fatal(err)
		}
		n, _, err := sub.Pending()
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	count()
	return count
}

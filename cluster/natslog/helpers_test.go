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

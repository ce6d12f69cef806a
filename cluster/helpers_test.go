package cluster

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tengen/cluster/natslog"
)

func startServer(t testing.TB, cfg natslog.ServerConfig) *natslog.Server {
	t.Helper()
	if cfg.Dir == "" {
		cfg.Dir = t.TempDir()
	}
	s, err := natslog.StartServer(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// admit lets any worker with the token come in.
func admit(_, secret, _ string) error {
	if secret != token {
		return errors.New("a wrong token")
	}
	return nil
}

func connect(t testing.TB, s *natslog.Server) *nats.Conn {
	t.Helper()
	conn, err := s.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// dial connects as the worker with a configuration.
func dial(t *testing.T, url string, cfg WorkerConfig) *nats.Conn {
	t.Helper()
	conn, err := dialWorker(t.Context(), url, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return conn
}

func dialWorker(ctx context.Context, url string, cfg WorkerConfig) (*nats.Conn, error) {
	name, err := WorkerName(cfg.Spool, cfg.Host)
	if err != nil {
		return nil, err
	}
	return natslog.Dial(ctx, natslog.ClientConfig{URL: url, Token: token, Worker: name})
}

func openLog(t testing.TB, conn *nats.Conn) *natslog.Log {
	t.Helper()
	l, err := natslog.OpenLog(t.Context(), conn, natslog.LogConfig{Run: "run"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// publish puts a message into the log of a run as it is, behind the log's back.
func publish(t testing.TB, conn *nats.Conn, message []byte) {
	t.Helper()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.Publish(t.Context(), "games.run", message); err != nil {
		t.Fatal(err)
	}
}

func wantError(t *testing.T, err error, part string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), part) {
		t.Errorf("error %v, want one that says %q", err, part)
	}
}

package natslog

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"tengen/internal/atomicfile"
)

// ServerConfig describes a Server.
type ServerConfig struct {
	Dir string // where everything is stored; made if absent

	// Listen is the address, "host:port", at which other machines find the server; port 0 takes a free one. Empty opens
	// no port at all. With an address, a Token is required: whoever knows it may do everything.
	Listen string
	Token  string
	// CertFile and KeyFile switch on TLS, without which games and token pass in the clear. PEM.
	CertFile, KeyFile string

	MaxMemory int64 // bytes that streams in memory may take; 0 means 256 MB
	MaxDisk   int64 // bytes that streams on disk may take; 0 means 1 TB

	// Report, if set, is told of the server's warnings and of repairs. It is called by several goroutines at once.
	Report func(message string)
}

// Server is a NATS server with JetStream inside the process. Every write is synced before it is acknowledged. When the disk
// is full, a stream takes nothing more until the server is started again; at MaxDisk it goes on as soon as there is room.
type Server struct {
	nats  *server.Server
	token string
	lock  *flock.Flock

	mu    sync.Mutex
	conns []*nats.Conn
}

// startTimeout bounds how long a server may take to open its port, after its files have been read.
const startTimeout = 30 * time.Second

// StartServer repairs what the disk may have damaged in the folder, and starts a server on it. No other process may have
// one there.
func StartServer(cfg ServerConfig) (s *Server, err error) {
	report := cfg.Report
	if report == nil {
		report = func(string) {}
	}
	options, err := cfg.options()
	if err != nil {
		return nil, fmt.Errorf("cannot start the game server: %w", err)
	}
	lock, err := LockFolder(cfg.Dir)
	if err != nil {
		return nil, fmt.Errorf("cannot start the game server: %w", err)
	}
	defer func() {
		if err != nil {
			lock.Unlock()
			err = fmt.Errorf("cannot start the game server in %s: %w", cfg.Dir, err)
		}
	}()
	if err := repairStore(filepath.Join(cfg.Dir, server.JetStreamStoreDir), report); err != nil {
		return nil, err
	}
	ns, err := server.NewServer(options)
	if err != nil {
		return nil, err
	}
	log := &logger{report: report}
	ns.SetLogger(log, false, false)
	if err := start(ns, log); err != nil {
		ns.Shutdown()
		ns.WaitForShutdown()
		return nil, err
	}
	return &Server{nats: ns, token: cfg.Token, lock: lock}, nil
}

func start(ns *server.Server, log *logger) error {
	ns.Start()
	for deadline := time.Now().Add(startTimeout); !ns.ReadyForConnections(50 * time.Millisecond); {
		if log.failure() != nil {
			break
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("it is not ready after %v", startTimeout)
		}
	}
	return log.failure()
}

func (cfg ServerConfig) options() (*server.Options, error) {
	o := &server.Options{
		ServerName:             "tengen",
		NoSigs:                 true,
		JetStream:              true,
		StoreDir:               cfg.Dir,
		SyncAlways:             true,
		JetStreamMaxMemory:     cfg.MaxMemory,
		JetStreamMaxStore:      cfg.MaxDisk,
		DisableJetStreamBanner: true,
		DontListen:             cfg.Listen == "",
		Authorization:          cfg.Token,
	}
	if o.JetStreamMaxMemory == 0 {
		o.JetStreamMaxMemory = 256 << 20
	}
	if o.JetStreamMaxStore == 0 {
		o.JetStreamMaxStore = 1 << 40
	}
	switch {
	case cfg.Dir == "":
		return nil, errors.New("no folder is named")
	case (cfg.CertFile == "") != (cfg.KeyFile == ""):
		return nil, errors.New("TLS needs both a certificate and its key")
	case cfg.Listen == "":
		return o, nil
	case cfg.Token == "":
		return nil, fmt.Errorf("listening on %s needs a token, or anybody could write games: set one", cfg.Listen)
	}
	host, port, err := net.SplitHostPort(cfg.Listen)
	if err != nil {
		return nil, fmt.Errorf("listening address %q: %w", cfg.Listen, err)
	}
	if o.Port, err = strconv.Atoi(port); err != nil || o.Port < 0 || o.Port > 65535 {
		return nil, fmt.Errorf("listening address %q: port %q, allowed are 0 to 65535", cfg.Listen, port)
	}
	if o.Port == 0 {
		o.Port = server.RANDOM_PORT
	}
	if o.Host = host; host == "" {
		o.Host = "0.0.0.0"
	}
	if cfg.CertFile != "" {
		pair, err := tls.LoadX509KeyPair(cfg.CertFile, cfg.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("TLS certificate: %w", err)
		}
		o.TLSConfig = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	}
	return o, nil
}

// LockFolder makes a folder and takes possession of it until the process ends or unlocks. It fails if another process has it.
func LockFolder(dir string) (*flock.Flock, error) {
	if err := atomicfile.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(dir, "lock"))
	locked, err := lock.TryLock()
	if err != nil {
		return nil, err
	}
	if !locked {
		return nil, fmt.Errorf("another process uses %s: stop it first", dir)
	}
	return lock, nil
}

// Connect returns a connection that passes through memory. Close of the server closes it, unless the caller has.
func (s *Server) Connect(ctx context.Context) (*nats.Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	conn, err := nats.Connect("", nats.InProcessServer(s.nats), nats.Name("tengen"), nats.Token(s.token),
		nats.MaxReconnects(-1), nats.ReconnectBufSize(-1))
	if err != nil {
		return nil, fmt.Errorf("cannot connect to the game server of this process: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conns = append(s.conns, conn)
	return conn, nil
}

// URL is the address for Dial, empty if the server opens no port.
func (s *Server) URL() string {
	address, ok := s.nats.Addr().(*net.TCPAddr)
	if !ok {
		return ""
	}
	return "nats://" + address.String()
}

// Close stops the server and returns when everything is on the disk.
func (s *Server) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, conn := range s.conns {
		conn.Close()
	}
	s.nats.Shutdown()
	s.nats.WaitForShutdown()
	return s.lock.Unlock()
}

// logger passes the NATS server's warnings and errors on, and keeps the first fatal one.
type logger struct {
	report func(string)

	mu    sync.Mutex
	fatal error
}

// Noticef drops notices: they are of no use to the person who runs the server.
func (l *logger) Noticef(string, ...any) {}

// Debugf drops what is for the server's authors.
func (l *logger) Debugf(string, ...any) {}

// Tracef drops what is for the server's authors.
func (l *logger) Tracef(string, ...any) {}

// afterKill are the warnings of a server that was killed before and finds its index older than its files, which is nothing
// to worry about: it makes the index again.
var afterKill = []string{"Stream state outdated", "prior state file"}

// Warnf reports a warning, unless it is one of afterKill.
func (l *logger) Warnf(format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	if !slices.ContainsFunc(afterKill, func(part string) bool { return strings.Contains(message, part) }) {
		l.report(message)
	}
}

// Errorf reports an error.
func (l *logger) Errorf(format string, args ...any) { l.report(fmt.Sprintf(format, args...)) }

// Fatalf is called when the server cannot start. Unlike the server's own loggers it does not end the process.
func (l *logger) Fatalf(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fatal == nil {
		l.fatal = fmt.Errorf(format, args...)
	}
}

func (l *logger) failure() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fatal
}

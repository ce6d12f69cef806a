package natslog

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"path/filepath"
	"strconv"
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
	// no port at all. With an address, Admit is required.
	Listen string
	// Admit refuses those who may not play as worker. It is given what they say of themselves, user being empty with a bare
	// token, when they connect and again and again after that: they are cut off when it refuses them. Whom it admits may send games
	// under that name, and read what a worker has to know, for as long as no other connection plays as that worker. It is called
	// by several goroutines at once.
	Admit func(user, secret, worker string) error
	Run   string // the run that Admit's workers play for, EmbeddedRun if empty
	// CertFile and KeyFile switch on TLS, without which games and tokens pass in the clear. PEM. They are read anew when they
	// change.
	CertFile, KeyFile string

	MaxMemory int64 // bytes that streams in memory may take; 0 means 256 MB
	MaxDisk   int64 // bytes that streams on disk may take; 0 means 1 TB

	// Report, if set, is told of the server's warnings and of repairs. It is called by several goroutines at once.
	Report func(message string)
}

// Server is a NATS server with JetStream inside the process. Every write is synced before it is acknowledged. When the disk
// is full, a stream takes nothing more until the server is started again; at MaxDisk it goes on as soon as there is room.
type Server struct {
	nats    *server.Server
	secret  string   // of this process
	notices *notices // of what clients can cause as often as they like
	lock    *flock.Flock
	watched sync.WaitGroup
	done    chan struct{} // closed by Close

	mu    sync.Mutex
	conns []*nats.Conn
}

// EmbeddedRun is the name of the only run on a run's own server.
const EmbeddedRun = "run"

const (
	// startTimeout bounds how long a server may take to open its port, after its files have been read.
	startTimeout = 30 * time.Second
	// handshake bounds how long a client may take to say who it is. TLS needs several ways there and back.
	handshake = 15 * time.Second
	// openBatches is how many batches of games may be under way at the same time, one for each process that plays.
	openBatches = 1000
)

// StartServer repairs what the disk may have damaged in the folder, and starts a server on it. No other process may have
// one there. The error wraps ErrManyUnreadable if the damage is large, and ErrLayout if a later version of the program has
// written the files; they are unchanged then.
func StartServer(cfg ServerConfig) (s *Server, err error) {
	report := cfg.Report
	if report == nil {
		report = func(string) {}
	}
	if cfg.Run == "" {
		cfg.Run = EmbeddedRun
	}
	options, err := cfg.options()
	if err != nil {
		return nil, fmt.Errorf("cannot start the game server: %w", err)
	}
	guard, err := newGuard(cfg, report)
	if err != nil {
		return nil, fmt.Errorf("cannot start the game server: %w", err)
	}
	guard.configure(options)
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
	if err := repair(cfg.Dir, false, report); err != nil {
		return nil, err
	}
	ns, err := server.NewServer(options)
	if err != nil {
		return nil, err
	}
	log := &logger{report: report, strangers: guard.strangers}
	ns.SetLogger(log, false, false)
	err = errors.Join(start(ns, log), guard.admission.attach(ns))
	if err != nil {
		ns.Shutdown()
		ns.WaitForShutdown()
		return nil, err
	}
	s = &Server{nats: ns, secret: guard.admission.own, notices: guard.strangers, lock: lock, done: make(chan struct{})}
	s.watched.Go(func() { guard.watch(s.done) })
	return s, nil
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
		JetStreamLimits:        server.JSLimitOpts{MaxBatchInflightPerStream: openBatches},
		PingInterval:           pingInterval, // a worker whose machine has gone is found out
		MaxPingsOut:            pingsMissed,
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
	case cfg.Admit == nil:
		return nil, fmt.Errorf("listening on %s, but nobody would be admitted", cfg.Listen)
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
	return o, nil
}

// lockFile is the file of a folder that is locked by the process which has it, also of a run directory.
const lockFile = "lock"

// LockFolder makes a folder and takes possession of it until the process ends or unlocks. It fails if another process has it.
func LockFolder(dir string) (*flock.Flock, error) {
	if err := atomicfile.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(dir, lockFile))
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
	conn, err := nats.Connect("", nats.InProcessServer(s.nats), nats.Name("tengen"), nats.Token(s.secret),
		nats.MaxReconnects(-1), nats.ReconnectBufSize(-1), nats.ErrorHandler(s.tell))
	if err != nil {
		return nil, fmt.Errorf("cannot connect to the game server of this process: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conns = append(s.conns, conn)
	return conn, nil
}

// tell passes on what went wrong with a connection of this process, as when a worker asks faster than it is answered.
func (s *Server) tell(_ *nats.Conn, subscription *nats.Subscription, err error) {
	if subscription != nil {
		err = fmt.Errorf("messages on %s: %w", subscription.Subject, err)
	}
	s.notices.tell(err.Error())
}

// URL is the address for Dial, empty if the server opens no port.
func (s *Server) URL() string {
	address, ok := s.nats.Addr().(*net.TCPAddr)
	if !ok {
		return ""
	}
	return "nats://" + address.String()
}

// Stored is what everything on the server takes on the disk, and what it may take at most, in bytes.
func (s *Server) Stored() (used, limit uint64) {
	info, err := s.nats.Jsz(nil)
	if err != nil {
		return 0, math.MaxUint64 // it is being closed
	}
	return info.Store, uint64(info.Config.MaxStore)
}

// Close stops the server and returns when everything is on the disk.
func (s *Server) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, conn := range s.conns {
		conn.Close()
	}
	select {
	case <-s.done: // closed before
	default:
		close(s.done)
	}
	s.watched.Wait()
	s.nats.Shutdown()
	s.nats.WaitForShutdown()
	return s.lock.Unlock()
}

package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"tengen/internal/certificate"
	"tengen/internal/loopback"
)

// ServerConfig describes a Server.
type ServerConfig struct {
	Dir    string // run directory; NATS keeps its files in a subdirectory
	Listen string // "host:port"; port 0 picks a free one
	// CertFile and KeyFile are PEM files that enable TLS. The server reloads them when they change. Without TLS, games
	// and models travel unencrypted.
	CertFile, KeyFile string
	MaxMemory         int64       // bytes for streams; at least 1 MiB
	Report            func(error) // receives warnings, from several goroutines
}

// Server is an in-process NATS server for one run's workers. It stores messages only in memory.
type Server struct {
	cfg      ServerConfig
	nats     *server.Server
	accounts *accounts
	log      *logger
	ctx      context.Context // ends with the server
	end      context.CancelFunc
	watched  sync.WaitGroup
}

const (
	startTimeout = 30 * time.Second
	// handshake limits the TLS handshake, and then authentication. Both take round trips.
	handshake = 15 * time.Second

	maxPayload       = 1 << 20
	maxConnections   = 1000
	maxSubscriptions = 16       // per connection
	maxPending       = 32 << 20 // unread bytes of a connection
	// Pings detect a vanished client within 40 seconds.
	pingInterval = 10 * time.Second
	pingsMissed  = 2
)

// StartServer starts a server for the workers in WorkersFile.
func StartServer(cfg ServerConfig) (*Server, error) {
	s := &Server{cfg: cfg, log: &logger{dir: cfg.Dir, notices: newNotices(cfg.Report)}}
	s.ctx, s.end = context.WithCancel(context.Background())
	if err := s.start(); err != nil {
		return nil, fmt.Errorf("cannot start the run's server at %s: %w", cfg.Listen, err)
	}
	return s, nil
}

func (s *Server) start() error {
	options, err := s.options()
	if err != nil {
		return err
	}
	// Create WorkersFile if it is missing. The server accepts only tokens signed with the file's key.
	if err := changeAccess(s.cfg.Dir, func(*accessFile) error { return nil }); err != nil {
		return err
	}
	file, err := readAccess(s.cfg.Dir)
	if err != nil {
		return err
	}
	if s.accounts, err = newAccounts(file, options); err != nil {
		return err
	}
	if s.nats, err = server.NewServer(options); err != nil {
		return err
	}
	s.nats.SetLogger(s.log, false, false)
	s.nats.Start()
	for deadline := time.Now().Add(startTimeout); !s.nats.ReadyForConnections(50*time.Millisecond) && s.log.fatal.Load() == nil; {
		if time.Now().After(deadline) {
			s.log.Fatalf("it is not ready after %v", startTimeout)
		}
	}
	if err := s.log.fatal.Load(); err != nil {
		return errors.Join(*err, s.stop())
	}
	s.watched.Go(func() { s.watch(file.content) })
	return nil
}

func (s *Server) options() (*server.Options, error) {
	cfg := s.cfg
	o := &server.Options{
		ServerName: "tengen", NoSigs: true, JetStream: true, DisableJetStreamBanner: true,
		StoreDir: filepath.Join(cfg.Dir, "nats"), JetStreamMaxMemory: max(cfg.MaxMemory, 1<<20), JetStreamMaxStore: 1 << 20,
		MaxConn: maxConnections, MaxPayload: maxPayload, MaxPending: maxPending,
		PingInterval: pingInterval, MaxPingsOut: pingsMissed,
		AuthTimeout: handshake.Seconds(), TLSTimeout: handshake.Seconds(),
		WriteDeadline: time.Minute, // lets a slow link receive a model
	}
	host, port, err := splitListen(cfg.Listen)
	if err != nil {
		return nil, err
	}
	o.Host, o.Port = cmp.Or(host, "0.0.0.0"), cmp.Or(port, server.RANDOM_PORT)
	switch {
	case cfg.CertFile != "" || cfg.KeyFile != "":
		o.TLSConfig, err = certificate.Config(cfg.CertFile, cfg.KeyFile)
		return o, err
	case !loopback.Is(cfg.Listen):
		cfg.Report(fmt.Errorf("listening on %s without TLS: games and models travel unencrypted; "+
			"outside a private network, set cluster.cert_file and cluster.key_file", cfg.Listen))
	}
	return o, nil
}

// watch applies WorkersFile whenever it changes. The server then disconnects revoked workers.
func (s *Server) watch(applied string) {
	failed := newNotices(s.cfg.Report)
	for ; s.ctx.Err() == nil; pause(s.ctx, time.Second) {
		content, err := s.apply(applied)
		if err != nil {
			failed.tell(err)
			continue
		}
		applied = content
	}
}

// apply applies WorkersFile unless its content is still applied. It returns the content.
func (s *Server) apply(applied string) (content string, err error) {
	file, err := readAccess(s.cfg.Dir)
	if err != nil || file.content == applied {
		return file.content, err
	}
	return file.content, s.accounts.update(s.nats, file)
}

// Connect returns an in-memory connection to the trainer's account.
func (s *Server) Connect() (*nats.Conn, error) {
	conn, err := nats.Connect("", nats.InProcessServer(s.nats), nats.Name("tengen"), s.accounts.trainerLogin(), nats.MaxReconnects(-1),
		nats.ReconnectBufSize(-1), nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { s.log.notices.tell(err) }))
	if err != nil {
		return nil, fmt.Errorf("cannot connect to the in-process server: %w", err)
	}
	return conn, nil
}

// URL returns the address for Dial.
func (s *Server) URL() string { return "nats://" + s.nats.Addr().String() }

// Close stops the server. Close the connections from Connect first.
func (s *Server) Close() error {
	s.end()
	s.watched.Wait()
	return s.stop()
}

func (s *Server) stop() error {
	s.nats.Shutdown()
	s.nats.WaitForShutdown()
	return os.RemoveAll(filepath.Join(s.cfg.Dir, "nats"))
}

// logger reports the NATS server's warnings and errors.
type logger struct {
	dir     string // with WorkersFile
	notices *notices
	fatal   atomic.Pointer[error]
}

// Noticef drops a message.
func (l *logger) Noticef(string, ...any) {}

// Debugf drops a message.
func (l *logger) Debugf(string, ...any) {}

// Tracef drops a message.
func (l *logger) Tracef(string, ...any) {}

// harmless lists parts of messages to drop. Their usual causes are a busy processor and many workers joining at once.
var harmless = []string{
	"Internal subscription on ", "Readloop processing time: ", "Producer was stalled for a total of ",
	"Error setting up system service import ", // logged as an error if imports are set up twice
}

// Warnf reports a message, unless it is harmless.
func (l *logger) Warnf(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !slices.ContainsFunc(harmless, func(part string) bool { return strings.Contains(text, part) }) {
		l.notices.tell(warning{text, l.dir})
	}
}

// warning is a message of the NATS server.
type warning struct {
	text string
	dir  string // with WorkersFile
}

var account = regexp.MustCompile(`\bA[A-Z2-7]{55}(/| > )`)

// Error names workers in place of their keys.
func (w warning) Error() string {
	text := account.ReplaceAllString(w.text, "")
	workers, _ := ListWorkers(w.dir) // keys stay as they are without it
	for _, k := range workers {
		text = strings.ReplaceAll(text, "jwt:"+k.Key, "worker "+k.Name)
	}
	return text
}

// Errorf is like Warnf.
func (l *logger) Errorf(format string, args ...any) { l.Warnf(format, args...) }

// Fatalf keeps the first fatal error. Unlike NATS's own loggers, it does not exit.
func (l *logger) Fatalf(format string, args ...any) {
	err := fmt.Errorf(format, args...)
	l.fatal.CompareAndSwap(nil, &err)
}

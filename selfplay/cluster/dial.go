package cluster

import (
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats.go"

	"tengen/internal/files"
)

// DialConfig describes a connection.
type DialConfig struct {
	URL string // "nats://host:port" or "tls://host:port"; for a NATS cluster several, with commas
	// TokenFile holds a token from AddWorker, or USER:PASSWORD. "": no authentication.
	TokenFile string
	CA        string // PEM file of the certificate authority; "": the system's
	Patient   bool   // keep trying to reconnect when the server rejects the token
	// Report receives refusals and failures to reconnect, at most one a minute.
	Report func(err error)
}

// Dial connects to a server. The first attempt must succeed; lost connections are re-established. The error wraps
// nats.ErrNoServers if nothing answers.
func Dial(cfg DialConfig) (*nats.Conn, error) {
	options, err := cfg.options()
	if err != nil {
		return nil, fmt.Errorf("cannot connect to %s: %w", cfg.URL, err)
	}
	conn, err := nats.Connect(cfg.URL, options...)
	if err != nil {
		err = unanswered(err)
		return nil, fmt.Errorf("cannot connect to %s: %w: %s", cfg.URL, err, advice(err))
	}
	return conn, nil
}

// unanswered makes the error of an unanswered attempt wrap nats.ErrNoServers. nats.go does so only for refused
// connections, which it recognizes by their English text. A server that is shutting down causes io.EOF.
func unanswered(err error) error {
	var attempt *net.OpError
	var system *os.SyscallError
	if errors.Is(err, io.EOF) || errors.As(err, &attempt) && (attempt.Timeout() || errors.As(err, &system)) {
		return fmt.Errorf("%w: %w", nats.ErrNoServers, err)
	}
	return err
}

func (cfg DialConfig) options() (options []nats.Option, err error) {
	notices := newNotices(cfg.Report)
	options = []nats.Option{
		nats.Name("tengen"),
		nats.SetCustomDialer(&net.Dialer{Timeout: 5 * time.Second}), // per server
		nats.Timeout(handshake),
		nats.MaxReconnects(-1),
		nats.ReconnectWait(time.Second / 4),
		nats.ReconnectJitter(2*time.Second, 2*time.Second), // spreads workers out after a restart
		nats.PingInterval(pingInterval),
		nats.MaxPingsOutstanding(pingsMissed),
		nats.ReconnectBufSize(-1), // callers resend unanswered requests
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			notices.tell(fmt.Errorf("the run's server refuses: %w", err))
		}),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) {
			if err := unanswered(err); !errors.Is(err, nats.ErrNoServers) {
				notices.tell(fmt.Errorf("cannot reconnect to %s: %w: %s", cfg.URL, err, advice(err)))
			}
		}),
	}
	if cfg.Patient {
		options = append(options, nats.IgnoreAuthErrorAbort())
	}
	if cfg.CA != "" {
		options = append(options, nats.RootCAs(cfg.CA))
	}
	if cfg.TokenFile == "" {
		return options, nil
	}
	name, password, err := readToken(cfg.TokenFile)
	login := nats.UserCredentials(cfg.TokenFile)
	if password != "" {
		login = nats.UserInfo(name, password)
	}
	return append(options, nats.CustomInboxPrefix(inboxOf(name)), login), err
}

// TokenName returns the name of the worker or user in a token file.
func TokenName(path string) (string, error) {
	name, _, err := readToken(path)
	return name, err
}

// readToken returns a token file's worker or user, and the password if any.
func readToken(path string) (name, password string, err error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return "", "", fmt.Errorf("token file: %w", err)
	}
	content = files.Text(content)
	text := strings.TrimSpace(string(content))
	if name, password, found := strings.Cut(text, ":"); found && name != "" && password != "" && !strings.Contains(text, "\n") {
		return name, password, nil
	}
	signed, err := jwt.ParseDecoratedJWT(content)
	var claims *jwt.UserClaims
	if err == nil {
		claims, err = jwt.DecodeUserClaims(signed)
	}
	if err != nil {
		return "", "", fmt.Errorf("token file %s holds neither a token nor a user name, a colon and a password: %w", path, err)
	}
	return claims.Name, "", nil
}

func advice(err error) string {
	switch {
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthRevoked):
		return "the token is wrong or missing, or was revoked"
	case errors.Is(err, nats.ErrNoServers):
		return "nothing answers there: start the server, or check the address and the firewall"
	case errors.Is(err, nats.ErrSecureConnWanted):
		return "the server has no TLS: leave out the certificate authority, or use nats:// instead of tls://"
	case errors.As(err, new(x509.UnknownAuthorityError)):
		return "an unknown authority has signed the server's certificate: name it, for a worker with --ca, for a run with cluster.ca"
	case errors.As(err, new(x509.HostnameError)):
		return "the server's certificate is for another name: connect to a name in it, or give the server another certificate"
	}
	return "check the address, and that the server is a NATS server that requires no client certificates"
}

// noticeInterval limits reports of errors that clients can cause.
const noticeInterval = time.Minute

// notices reports at most one error per noticeInterval.
type notices struct {
	report func(error)

	mu         sync.Mutex
	next       time.Time // of the next report
	unreported int       // errors since the last report
}

func newNotices(report func(error)) *notices { return &notices{report: report} }

func (n *notices) tell(err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := time.Now()
	if now.Before(n.next) {
		n.unreported++
		return
	}
	if n.unreported > 0 {
		err = fmt.Errorf("%w (and %d similar errors before)", err, n.unreported)
	}
	n.unreported, n.next = 0, now.Add(noticeInterval)
	n.report(err)
}

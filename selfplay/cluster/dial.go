package cluster

import (
	"context"
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
)

// DialConfig describes a connection to a server that is not in this process.
type DialConfig struct {
	URL string // "nats://host:port" or "tls://host:port"; several, with commas, for a cluster
	// TokenFile holds what AddWorker has returned, or a user name, a colon and a password. Empty for a server that admits
	// everybody.
	TokenFile string
	CA        string // PEM of the authority that signed the server's certificate; empty: the system's
	// Patient connections try again when the server refuses their token, as it may while it is set up again. Others are closed then.
	Patient bool
	// The connection calls Report with what the server refuses, and why a lost connection cannot be taken up again though a server is there: one
	// such thing a minute.
	Report func(err error)
}

// Dial connects. The first attempt must succeed before ctx ends; a connection that is lost later is taken up again for as
// long as it is not closed. The error wraps nats.ErrNoServers if nothing answers there, which may pass.
func Dial(ctx context.Context, cfg DialConfig) (*nats.Conn, error) {
	options, err := cfg.options()
	if err != nil {
		return nil, fmt.Errorf("cannot connect to %s: %w", cfg.URL, err)
	}
	type result struct {
		conn *nats.Conn
		err  error
	}
	dialled := make(chan result, 1)
	go func() {
		conn, err := nats.Connect(cfg.URL, options...)
		dialled <- result{conn, err}
	}()
	select {
	case r := <-dialled:
		if r.err != nil {
			err := unanswered(r.err)
			return nil, fmt.Errorf("cannot connect to %s: %w: %s", cfg.URL, err, advice(err))
		}
		return r.conn, nil
	case <-ctx.Done():
		go func() {
			if r := <-dialled; r.conn != nil {
				r.conn.Close()
			}
		}()
		return nil, fmt.Errorf("cannot connect to %s: %w: is it the right address?", cfg.URL, ctx.Err())
	}
}

// unanswered makes the error of an attempt without an answer wrap nats.ErrNoServers. The error of nats.go does only where the
// machine is there and refuses, and does so in English. A server that ends at this moment hangs up.
func unanswered(err error) error {
	var attempt *net.OpError
	var system *os.SyscallError
	if errors.Is(err, io.EOF) || errors.As(err, &attempt) && (attempt.Timeout() || errors.As(err, &system)) {
		return fmt.Errorf("%w: %w", nats.ErrNoServers, err)
	}
	return err
}

func (cfg DialConfig) options() (options []nats.Option, err error) {
	refused := newNotices(cfg.Report)
	options = []nats.Option{
		nats.Name("tengen"),
		nats.SetCustomDialer(&net.Dialer{Timeout: 5 * time.Second}), // then another server is tried
		nats.Timeout(handshake),
		nats.MaxReconnects(-1),
		nats.ReconnectWait(time.Second / 4),
		nats.ReconnectJitter(2*time.Second, 2*time.Second), // the workers of a server that starts again do not come all at once
		nats.PingInterval(pingInterval),
		nats.MaxPingsOutstanding(pingsMissed),
		nats.ReconnectBufSize(-1), // what was not answered is sent again
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			refused.tell(fmt.Errorf("the run's server refuses: %w", err))
		}),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) {
			if err := unanswered(err); !errors.Is(err, nats.ErrNoServers) {
				refused.tell(fmt.Errorf("cannot connect to %s again: %w: %s", cfg.URL, err, advice(err)))
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
	proof := nats.UserCredentials(cfg.TokenFile)
	if password != "" {
		proof = nats.UserInfo(name, password)
	}
	return append(options, nats.CustomInboxPrefix(inboxOf(name)), proof), err
}

// TokenName is the name of the worker, or of the user, that a token file is for.
func TokenName(path string) (string, error) {
	name, _, err := readToken(path)
	return name, err
}

// readToken says whom a token file is for, and the password if it has one, which is then all of its content.
func readToken(path string) (name, password string, err error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return "", "", fmt.Errorf("token file: %w", err)
	}
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

// advice says what to do about a failed connection.
func advice(err error) string {
	switch {
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthRevoked):
		return "the token is wrong or missing, or was revoked"
	case errors.Is(err, nats.ErrNoServers):
		return "nothing answers there: start the server, or check the address and the firewall"
	case errors.Is(err, nats.ErrSecureConnWanted):
		return "the server has no TLS: leave the certificate authority away, or use nats:// instead of tls://"
	case errors.As(err, new(x509.UnknownAuthorityError)):
		return "no authority that is known here has signed the server's certificate: give the one that has, a worker by --ca, a run by cluster.ca"
	case errors.As(err, new(x509.HostnameError)):
		return "the server's certificate is for another name: connect to one that is in it, or give the server another certificate"
	}
	return "check the address, and whether the server is a NATS server that asks for no certificate of its clients"
}

// noticeInterval is the time between two reports of what others can cause as often as they like.
const noticeInterval = time.Minute

// notices passes on one of many errors a minute.
type notices struct {
	report func(error)

	mu   sync.Mutex
	next time.Time // not before
	more int       // errors that were not passed on
}

func newNotices(report func(error)) *notices { return &notices{report: report} }

func (n *notices) tell(err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := time.Now()
	if now.Before(n.next) {
		n.more++
		return
	}
	if n.more > 0 {
		err = fmt.Errorf("%w (and %d times something of the kind before)", err, n.more)
	}
	n.more, n.next = 0, now.Add(noticeInterval)
	n.report(err)
}

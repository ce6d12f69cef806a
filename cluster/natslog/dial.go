package natslog

import (
	"context"
	crand "crypto/rand"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// ClientConfig describes a connection to a server that is not in this process.
type ClientConfig struct {
	URL  string // "nats://host:port" or "tls://host:port"; several, with commas, for a cluster
	Name string // of this client, for the server's operator
	// Worker is the name under which the client sends games, if it plays: the server may hold it to that.
	Worker string

	Token       string // at most one of these three; a user name and a colon may stand before it
	TokenFile   string // holds the token; space around it does not count; read anew at each connection
	Credentials string // a NATS .creds file

	CA string // PEM of the authority that signed the server's certificate, read anew at each connection; empty: the system's

	// OnDisconnect and OnReconnect, if set, are told when the connection is lost and when it is there again.
	OnDisconnect func(err error)
	OnReconnect  func(url string)
	// OnError, if set, is told what the server refuses, and why a lost connection cannot be taken up again though a server is there.
	// Of several such things it is told one a minute.
	OnError func(err error)
}

const (
	// reconnectWait bounds the pause after the first attempt to take a connection up again, and doubles with each attempt up to
	// reconnectMax.
	reconnectWait = 250 * time.Millisecond
	reconnectMax  = 10 * time.Second

	// connectTimeout bounds how long a server may take to answer at all, before another is tried. After that it has as long as it
	// gives a client, handshake.
	connectTimeout = 5 * time.Second

	// A server that says nothing is asked for a sign of life, and given up when some are missing: a cut that nobody is told of, as
	// by a router or a machine that sleeps, is found within half a minute.
	pingInterval = 10 * time.Second
	pingsMissed  = 2
)

// reconnectDelay is the pause after an attempt to reconnect, from 1 on, that has failed with all servers. It is a random part of what
// it may be at the most, so that the workers of a server that starts again do not come all at once.
func reconnectDelay(attempt int) time.Duration {
	most := reconnectMax
	if doubled := min(attempt-1, 10); reconnectWait<<doubled < most {
		most = reconnectWait << doubled
	}
	return rand.N(most)
}

// Dial connects. The first attempt must succeed before ctx ends; a connection that is lost later is taken up again for as
// long as it is not closed. The error wraps nats.ErrNoServers if nothing answers there, which may pass.
func Dial(ctx context.Context, cfg ClientConfig) (*nats.Conn, error) {
	refused := &notices{now: time.Now, report: func(message string) {
		if cfg.OnError != nil {
			cfg.OnError(errors.New(message))
		}
	}}
	options, err := cfg.options(refused)
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
			return nil, fmt.Errorf("cannot connect to %s: %w: %s", cfg.URL, err, cfg.advice(err))
		}
		cfg.watch(r.conn, refused)
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

// unanswered makes the error of an attempt that nobody has answered wrap nats.ErrNoServers. That of nats.go does only where the machine
// is there and refuses, and does so in English.
func unanswered(err error) error {
	var attempt *net.OpError
	var system *os.SyscallError
	if errors.As(err, &attempt) && attempt.Op == "dial" && (attempt.Timeout() || errors.As(err, &system)) {
		return fmt.Errorf("%w: %w", nats.ErrNoServers, err)
	}
	return err
}

func (cfg ClientConfig) options(refused *notices) ([]nats.Option, error) {
	options := []nats.Option{
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			message := fmt.Sprintf("the run's server refuses: %v", err)
			if errors.Is(err, nats.ErrAuthorization) {
				message += ": " + cfg.advice(err)
			}
			refused.tell(message)
		}),
		nats.Name(cfg.name()),
		nats.SetCustomDialer(&net.Dialer{Timeout: connectTimeout}),
		nats.Timeout(handshake),
		nats.MaxReconnects(-1),
		nats.CustomReconnectDelay(reconnectDelay),
		nats.PingInterval(pingInterval),
		nats.MaxPingsOutstanding(pingsMissed),
		nats.ReconnectBufSize(-1),   // the Log repeats what was not acknowledged
		nats.IgnoreAuthErrorAbort(), // a server under repair may refuse for a while
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if cfg.OnDisconnect != nil {
				cfg.OnDisconnect(err)
			}
		}),
		nats.ReconnectHandler(func(conn *nats.Conn) {
			if cfg.OnReconnect != nil {
				cfg.OnReconnect(conn.ConnectedUrlRedacted())
			}
		}),
	}
	login, err := cfg.login()
	if err != nil {
		return nil, err
	}
	secure, err := cfg.secure()
	if err != nil {
		return nil, err
	}
	return append(append(options, login...), secure...), nil
}

// sessionMark stands in the name of a worker's connection between the worker's and that of the session, which stays the same when
// it connects again.
const sessionMark = "/"

// name is what the client calls itself.
func (cfg ClientConfig) name() string {
	switch {
	case cfg.Worker != "":
		return cfg.Worker + sessionMark + crand.Text()
	case cfg.Name != "":
		return cfg.Name
	}
	return "tengen"
}

// login is how the client proves who it is.
func (cfg ClientConfig) login() ([]nats.Option, error) {
	ways := 0
	for _, way := range []string{cfg.Token, cfg.TokenFile, cfg.Credentials} {
		if way != "" {
			ways++
		}
	}
	switch {
	case ways > 1:
		return nil, errors.New("of a token, a token file and credentials only one can be used")
	case cfg.Credentials != "":
		if _, err := os.Stat(cfg.Credentials); err != nil {
			return nil, fmt.Errorf("credentials: %w", err)
		}
		return []nats.Option{nats.UserCredentials(cfg.Credentials)}, nil
	case ways == 0:
		return nil, nil
	}
	user, _, err := cfg.identity()
	if err != nil {
		return nil, err
	}
	options := []nats.Option{
		nats.UserInfoHandler(func() (user, secret string) {
			if user, secret, _ = cfg.identity(); user == "" {
				return "", ""
			}
			return user, secret
		}),
		nats.TokenHandler(func() string {
			user, secret, _ := cfg.identity()
			if user != "" {
				return ""
			}
			return secret
		}),
	}
	if user != "" || cfg.Worker != "" {
		options = append(options, nats.CustomInboxPrefix(inboxOf(user, cfg.Worker)))
	}
	return options, nil
}

// User is the user name that stands before the token, empty if there is none.
func (cfg ClientConfig) User() (string, error) {
	user, _, err := cfg.identity()
	return user, err
}

// identity is the client's, and the user that it belongs to if there is one.
func (cfg ClientConfig) identity() (user, secret string, err error) {
	text := cfg.Token
	if cfg.TokenFile != "" {
		content, err := os.ReadFile(cfg.TokenFile)
		if err != nil {
			return "", "", fmt.Errorf("token file: %w", err)
		}
		text = strings.TrimSpace(string(content))
	}
	if user, secret, named := strings.Cut(text, ":"); named {
		return user, secret, nil
	}
	return "", text, nil
}

// inboxOf is what the subjects begin with at which a user, or a worker without one, receives answers. Others cannot listen there.
func inboxOf(user, worker string) string {
	if user == "" {
		user = worker
	}
	return "_INBOX." + subjectToken(user)
}

package natslog

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// ClientConfig describes a connection to a server that is not in this process.
type ClientConfig struct {
	URL  string // "nats://host:port" or "tls://host:port"; several, with commas, for a cluster
	Name string // of this client, for the server's operator

	Token       string // at most one of these three
	TokenFile   string // holds the token; space around it does not count
	Credentials string // a NATS .creds file

	CA        string // PEM of the authority that signed the server's certificate; empty means the system's
	Cert, Key string // PEM of the client's own certificate, for servers that ask for one

	// OnDisconnect and OnReconnect, if set, are told when the connection is lost and when it is there again.
	OnDisconnect func(err error)
	OnReconnect  func(url string)
}

// reconnectWait is the pause between two attempts at the same server.
const reconnectWait = 250 * time.Millisecond

// Dial connects. The first attempt must succeed before ctx ends; a connection that is lost later is taken up again for as
// long as it is not closed.
func Dial(ctx context.Context, cfg ClientConfig) (*nats.Conn, error) {
	options, err := cfg.options()
	if err != nil {
		return nil, fmt.Errorf("cannot connect to %s: %w", cfg.URL, err)
	}
	if deadline, ok := ctx.Deadline(); ok {
		options = append(options, nats.Timeout(time.Until(deadline)))
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
			return nil, fmt.Errorf("cannot connect to %s: %w: %s", cfg.URL, r.err, advice(r.err))
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

func (cfg ClientConfig) options() ([]nats.Option, error) {
	name := cfg.Name
	if name == "" {
		name = "tengen"
	}
	options := []nats.Option{
		nats.Name(name),
		nats.MaxReconnects(-1),
		nats.ReconnectWait(reconnectWait),
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
	case cfg.Token != "":
		return []nats.Option{nats.Token(cfg.Token)}, nil
	case cfg.TokenFile != "":
		token, err := os.ReadFile(cfg.TokenFile)
		if err != nil {
			return nil, fmt.Errorf("token file: %w", err)
		}
		return []nats.Option{nats.Token(strings.TrimSpace(string(token)))}, nil
	case cfg.Credentials != "":
		if _, err := os.Stat(cfg.Credentials); err != nil {
			return nil, fmt.Errorf("credentials: %w", err)
		}
		return []nats.Option{nats.UserCredentials(cfg.Credentials)}, nil
	}
	return nil, nil
}

func (cfg ClientConfig) secure() ([]nats.Option, error) {
	var options []nats.Option
	if cfg.CA != "" {
		pem, err := os.ReadFile(cfg.CA)
		if err != nil {
			return nil, fmt.Errorf("certificate authority: %w", err)
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("certificate authority: %s holds no PEM certificate", cfg.CA)
		}
		options = append(options, nats.Secure(&tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}))
	}
	if cfg.Cert != "" || cfg.Key != "" {
		if _, err := tls.LoadX509KeyPair(cfg.Cert, cfg.Key); err != nil {
			return nil, fmt.Errorf("client certificate: %w", err)
		}
		options = append(options, nats.ClientCert(cfg.Cert, cfg.Key))
	}
	return options, nil
}

// advice says what to do about a failed connection.
func advice(err error) string {
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	switch {
	case errors.Is(err, nats.ErrAuthorization):
		return "the token is wrong or missing"
	case errors.Is(err, nats.ErrNoServers):
		return "nothing answers there: start the server, or check the address and the firewall"
	case errors.Is(err, nats.ErrSecureConnRequired):
		return "the server wants TLS: give its certificate authority"
	case errors.Is(err, nats.ErrSecureConnWanted):
		return "the server has no TLS: leave the certificate authority away, or use nats:// instead of tls://"
	case errors.As(err, &unknown):
		return "the server's certificate is not signed by the given authority"
	case errors.As(err, &host):
		return "the server's certificate is for another name"
	}
	return "check the address, and whether the server is a NATS server"
}

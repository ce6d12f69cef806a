package natslog

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/nats-io/nats.go"
)

// This file is about connections that a server and a client do not agree on: by their certificates, or by who the client is.

// errAuthority is wrapped by the error of a file of authorities that cannot be used.
var errAuthority = errors.New("certificate authority")

// secure switches TLS on if the client has an authority. Else the server may want it, and the system's authorities count.
func (cfg ClientConfig) secure() ([]nats.Option, error) {
	if cfg.CA == "" {
		return nil, nil
	}
	if _, err := cfg.authorities(); err != nil {
		return nil, err
	}
	return []nats.Option{nats.Secure(&tls.Config{MinVersion: tls.VersionTLS12}), func(o *nats.Options) error {
		o.RootCAsCB = cfg.authorities
		return nil
	}}, nil
}

// authorities reads those in the file CA.
func (cfg ClientConfig) authorities() (*x509.CertPool, error) {
	pem, err := os.ReadFile(cfg.CA)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errAuthority, err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%w: %s holds no PEM certificate", errAuthority, cfg.CA)
	}
	return pool, nil
}

// watch tells, until a connection is closed, why it cannot be taken up again where a server is there, which nats.go tells nobody: it
// tries on. What refused keeps back is told when its time has come.
func (cfg ClientConfig) watch(conn *nats.Conn, refused *notices) {
	trying, closed := conn.StatusChanged(nats.RECONNECTING), conn.StatusChanged(nats.CLOSED)
	if conn.IsClosed() { // before it was listened to
		return
	}
	go func() {
		later := time.NewTicker(noticeInterval)
		defer later.Stop()
		for {
			select {
			case <-closed:
				return
			case <-later.C:
				refused.flush()
				continue
			case <-trying:
			}
			if err := conn.LastError(); disagrees(err) {
				refused.tell(fmt.Sprintf("cannot connect to %s again: %v: %s", cfg.URL, err, cfg.advice(err)))
			}
		}
	}()
}

// disagrees reports whether an error is one of a server that is there but, by its certificate, not for this client.
func disagrees(err error) bool {
	return errors.Is(err, nats.ErrTLS) || errors.Is(err, nats.ErrSecureConnWanted) || errors.Is(err, errAuthority) || refusedByTLS(err)
}

// refusedByTLS reports whether an error is that of a server which has ended the handshake.
func refusedByTLS(err error) bool {
	var remote *net.OpError
	return errors.As(err, &remote) && remote.Op == "remote error"
}

// advice says what to do about a failed connection.
func (cfg ClientConfig) advice(err error) string {
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.Is(err, nats.ErrAuthorization):
		if cfg.Worker != "" {
			return fmt.Sprintf("the token is wrong or missing, or worker %s is revoked, cut off or connected already: the run says which", cfg.Worker)
		}
		return "the token is wrong or missing"
	case errors.Is(err, nats.ErrNoServers):
		return "nothing answers there: start the server, or check the address and the firewall"
	case errors.Is(err, nats.ErrSecureConnRequired):
		return "the server wants TLS: give its certificate authority"
	case errors.Is(err, nats.ErrSecureConnWanted):
		return "the server has no TLS: leave the certificate authority away, or use nats:// instead of tls://"
	case errors.Is(err, errAuthority):
		return "it is to hold the authority that has signed the server's certificate"
	case errors.As(err, &unknown) && cfg.CA == "":
		return "no authority that this machine knows has signed the server's certificate: give the one that has, a worker by --ca, a run by cluster.ca"
	case errors.As(err, &unknown):
		return fmt.Sprintf("the server's certificate is not signed by the given authority, %s", cfg.CA)
	case errors.As(err, &host):
		return "the server's certificate is for another name: connect to one that is in it, or give the server another certificate"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "put another certificate on the server, or set the clock of this machine"
	case errors.Is(err, nats.ErrTLS), refusedByTLS(err):
		return "if that does not pass, the server may ask for a certificate of its clients, which tengen does not show: take verify out of its tls block"
	}
	return "check the address, and whether the server is a NATS server"
}

package natslog

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// guard is what stands between a server and those who connect to it: who may come in, and over which certificate.
type guard struct {
	admission   *admission
	certificate *certificate // nil without TLS
	refusals    *notices
	strangers   *notices // what else clients cause
}

func newGuard(cfg ServerConfig, report func(string)) (*guard, error) {
	g := &guard{
		refusals:  &notices{report: report, now: time.Now},
		strangers: &notices{report: report, now: time.Now},
	}
	g.admission = newAdmission(cfg, report, g.refusals)
	if cfg.CertFile == "" {
		if cfg.Listen != "" && !loopback(cfg.Listen) {
			report(fmt.Sprintf("listening at %s without TLS: games and tokens pass in the clear, and whoever sees one may send games; "+
				"outside a network of your own set cluster.cert_file and cluster.key_file", cfg.Listen))
		}
		return g, nil
	}
	var err error
	g.certificate, err = openCertificate(cfg.CertFile, cfg.KeyFile, report)
	return g, err
}

// loopback reports whether nobody but this machine reaches an address.
func loopback(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return false
	}
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.IsLoopback()
}

// configure sets the options of the server.
func (g *guard) configure(o *server.Options) {
	o.CustomClientAuthentication = g.admission
	o.AuthTimeout = handshake.Seconds()
	if g.certificate != nil {
		o.TLSTimeout = handshake.Seconds()
		o.TLSConfig = &tls.Config{GetCertificate: g.certificate.get, MinVersion: tls.VersionTLS12}
	}
}

// recheck is the interval at which it is looked at what has changed.
const recheck = time.Second

// watch keeps up with what changes, until done is closed.
func (g *guard) watch(done <-chan struct{}) {
	ticker := time.NewTicker(recheck)
	defer ticker.Stop()
	for {
		select {
		case <-done:
			return
		case <-ticker.C:
		}
		g.admission.review()
		if g.certificate != nil {
			g.certificate.review()
		}
		g.refusals.flush()
		g.strangers.flush()
	}
}

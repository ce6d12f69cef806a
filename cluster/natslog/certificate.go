package natslog

import (
	"crypto/tls"
	"fmt"
	"os"
	"sync"
	"time"
)

// expiryNotice is for how long before its end a certificate is warned of, once a day.
const expiryNotice = 14 * 24 * time.Hour

// certificate is the server's, read anew when its files change. It may be used by several goroutines at once.
type certificate struct {
	cert, key string // files, PEM
	report    func(message string)
	now       func() time.Time

	mu      sync.Mutex
	pair    *tls.Certificate
	version string    // of the files that pair was read from
	told    string    // version of the files that were reported as no certificate
	warned  time.Time // of its end
}

// openCertificate reads a certificate and its key.
func openCertificate(cert, key string, report func(message string)) (*certificate, error) {
	c := &certificate{cert: cert, key: key, report: report, now: time.Now}
	version := c.filesNow()
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("TLS certificate: %w", err)
	}
	c.pair, c.version = &pair, version
	return c, nil
}

// get is tls.Config.GetCertificate.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pair, nil
}

// review takes up files that have changed, and warns of a certificate that is about to end. Where one of the files is not replaced yet
// they do not belong together; then the certificate before stays.
func (c *certificate) review() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if version := c.filesNow(); version != c.version {
		pair, err := tls.LoadX509KeyPair(c.cert, c.key)
		switch {
		case err == nil:
			c.pair, c.version, c.warned = &pair, version, time.Time{}
		case version != c.told:
			c.told = version
			c.report(fmt.Sprintf("the new TLS certificate is not used: %v: the one before is, until %s and %s go together", err, c.cert, c.key))
		}
	}
	now, end := c.now(), c.pair.Leaf.NotAfter
	if end.Sub(now) > expiryNotice || now.Sub(c.warned) < 24*time.Hour {
		return
	}
	c.warned = now
	days := int(end.Sub(now).Hours() / 24)
	switch {
	case now.After(end):
		c.report(fmt.Sprintf("the TLS certificate %s has ended on %s: no worker can connect; put another in its place, with its key",
			c.cert, end.Format(time.DateOnly)))
	default:
		c.report(fmt.Sprintf("the TLS certificate %s ends on %s, days left: %d; put another in its place, with its key: it is taken up by itself",
			c.cert, end.Format(time.DateOnly), days))
	}
}

// filesNow tells versions of the files apart.
func (c *certificate) filesNow() (version string) {
	for _, path := range []string{c.cert, c.key} {
		info, err := os.Stat(path)
		if err != nil {
			version += err.Error()
			continue
		}
		version += fmt.Sprintf("%d %d ", info.ModTime().UnixNano(), info.Size())
	}
	return version
}

package natslog

import (
	"crypto/x509"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"tengen/internal/fulltest"
)

// documentedTLS is documented with TLS, as the documentation says how, and with more settings of it if there are any.
func documentedTLS(t *testing.T, cert, key, more string) (dir string) {
	t.Helper()
	const include = "include accounts.conf"
	return documented(t, include, fmt.Sprintf("%s\ntls { cert_file: %q, key_file: %q%s }", include, cert, key, more))
}

// Over TLS, whoever trains and a worker can do on a server elsewhere what they can without.
func TestElsewhereTLS(t *testing.T) {
	fulltest.Only(t)
	t.Parallel()
	cert, key := writeCertificate(t)
	url := startAlone(t, documentedTLS(t, cert, key, "")).ClientURL()
	as := func(user, worker string) *nats.Conn {
		conn, err := Dial(t.Context(), ClientConfig{URL: url, Token: user + ":" + token, Worker: worker, CA: cert})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(conn.Close)
		return conn
	}
	checkWorkerMay(t, as("trainer", ""), 1, as("me", "me-ABCDEFGH"), "me-ABCDEFGH")
}

// A client that does not agree with a server about TLS is told what to do.
func TestElsewhereTLSIsRefused(t *testing.T) {
	t.Parallel()
	cert, key := writeCertificate(t)
	other, _ := writeCertificate(t)
	open := startAlone(t, documented(t)).ClientURL()
	secure := startAlone(t, documentedTLS(t, cert, key, "")).ClientURL()
	asking := startAlone(t, documentedTLS(t, cert, key, fmt.Sprintf(", ca_file: %q, verify: true", cert))).ClientURL()
	for _, c := range []struct {
		cfg  ClientConfig
		want string
	}{
		{ClientConfig{URL: open, CA: cert}, "the server has no TLS"},
		{ClientConfig{URL: secure}, "give the one that has, a worker by --ca, a run by cluster.ca"},
		{ClientConfig{URL: secure, CA: other}, "not signed by the given authority, " + other},
		{ClientConfig{URL: strings.Replace(secure, "127.0.0.1", "localhost", 1), CA: cert}, "for another name"},
		{ClientConfig{URL: asking, CA: cert}, "take verify out"},
	} {
		c.cfg.Token = "me:" + token
		conn, err := Dial(t.Context(), c.cfg)
		wantError(t, err, c.want)
		if err == nil {
			conn.Close()
		}
	}
	if text := (ClientConfig{}).advice(x509.CertificateInvalidError{Reason: x509.Expired}); !strings.Contains(text, "another certificate") {
		t.Errorf("of a certificate that has ended it says %q", text)
	}
}

// A certificate of another authority is taken up by a reload. Who is connected stays, and when the connection is lost hears why it
// does not come back, until the file of authorities has the new one.
func TestElsewhereTLSRotation(t *testing.T) {
	fulltest.Only(t)
	t.Parallel()
	cert, key := writeCertificate(t)
	next, nextKey := writeCertificate(t)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	copyFile(t, cert, ca)
	dir := documentedTLS(t, cert, key, "")
	s := startAlone(t, dir)
	told, back := &reports{}, make(chan string, 100)
	conn, err := Dial(t.Context(), ClientConfig{
		URL: s.ClientURL(), Token: "me:" + token, Worker: "me-ABCDEFGH", CA: ca,
		OnError: func(err error) { told.add(err.Error()) }, OnReconnect: func(url string) { back <- url },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()

	copyFile(t, next, cert)
	copyFile(t, nextKey, key)
	if err := s.ReloadOptions(aloneOptions(t, dir)); err != nil {
		t.Fatal(err)
	}
	if err := conn.Flush(); err != nil || conn.Stats().Reconnects > 0 {
		t.Errorf("the reload cuts a connection: %v", err)
	}
	if err := conn.ForceReconnect(); err != nil {
		t.Fatal(err)
	}
	told.wait(t, "again: nats: tls error")
	copyFile(t, next, ca)
	<-back
}

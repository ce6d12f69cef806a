package web

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"tengen/engine"
	"tengen/internal/certificate/certtest"
	"tengen/selfplay/cluster/clustertest"
)

// serve runs a server until stop is called, which returns its error.
func serve(t *testing.T, l Listen) (page *url.URL, stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ready, done := make(chan string, 1), make(chan error, 1)
	go func() { done <- l.Run(ctx, Default(), func(page string) { ready <- page }) }()
	select {
	case text := <-ready:
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return u, func() error { cancel(); return <-done }
	case err := <-done:
		cancel()
		t.Fatal(err)
	}
	return nil, nil
}

func TestRunServer(t *testing.T) {
	page, stop := serve(t, Listen{Address: "127.0.0.1:0"})
	if page.Hostname() != "127.0.0.1" || page.RawQuery != "" {
		t.Errorf("the page is %s", page)
	}
	resp, err := http.Get(page.String() + "api/games")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Error(resp.Status)
	}
	err = Listen{Address: page.Host}.Run(t.Context(), Default(), func(string) { t.Error("two have one address") })
	if err == nil || !strings.Contains(err.Error(), "choose another address") || errors.As(err, new(engine.InputError)) {
		t.Errorf("an address in use: %v", err)
	}
	if err := stop(); err != nil {
		t.Errorf("stopped: %v", err)
	}
	http.DefaultClient.CloseIdleConnections()
}

// An address that others can reach needs a token, which a file may keep.
func TestOtherAddress(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	page, stop := serve(t, Listen{Address: "0.0.0.0:0", TokenFile: file, Hosts: []string{"box.example"}})
	token := page.Query().Get("token")
	if content, err := os.ReadFile(file); err != nil || token == "" || strings.TrimSpace(string(content)) != token {
		t.Errorf("token %q, file %q, %v", token, content, err)
	}
	local := "http://127.0.0.1:" + page.Port() + "/api/games"
	resp, err := http.Get(local)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("without the token: %s", resp.Status)
	}
	for host, want := range map[string]int{"box.example": 200, "evil.example": 403, page.Host: 200} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, local, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		r.Header.Set("Authorization", "Bearer "+token)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("host %s: %s, want %d", host, resp.Status, want)
		}
	}
	if err := stop(); err != nil {
		t.Errorf("stopped: %v", err)
	}
	http.DefaultClient.CloseIdleConnections()
}

// The end of the server ends streams and searches.
func TestServerEnds(t *testing.T) {
	leaks := append(clustertest.Leaks, goleak.IgnoreCurrent())
	page, stop := serve(t, Listen{Address: "127.0.0.1:0"})
	resp, err := http.Get(page.String() + "api/analysis?game=connect4&player=uct&milliseconds=60000")
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(t, resp)
	c.must("report")
	if err := stop(); err != nil {
		t.Error(err)
	}
	c.close()
	http.DefaultClient.CloseIdleConnections()
	if err := goleak.Find(leaks...); err != nil {
		t.Errorf("the search has not ended: %v", err)
	}
}

// A renewed certificate is served without a restart.
func TestRenewedCertificate(t *testing.T) {
	dir := t.TempDir()
	l := Listen{Address: "127.0.0.1:0", CertFile: filepath.Join(dir, "cert"), KeyFile: filepath.Join(dir, "key")}
	var served []string
	certtest.Write(t, l.CertFile, l.KeyFile)
	d, err := l.open(t.Context(), Default())
	if err != nil {
		t.Fatal(err)
	}
	defer d.listener.Close()
	for range 2 {
		shaken := make(chan error, 1)
		go func() {
			conn, err := d.listener.Accept()
			if err == nil {
				err = errors.Join(conn.(*tls.Conn).HandshakeContext(t.Context()), conn.Close())
			}
			shaken <- err
		}()
		pem, err := os.ReadFile(l.CertFile)
		if err != nil {
			t.Fatal(err)
		}
		authority := x509.NewCertPool()
		authority.AppendCertsFromPEM(pem)
		conn, err := (&tls.Dialer{Config: &tls.Config{RootCAs: authority}}).DialContext(t.Context(), "tcp", d.listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		served = append(served, string(conn.(*tls.Conn).ConnectionState().PeerCertificates[0].Raw))
		conn.Close()
		if err := <-shaken; err != nil {
			t.Fatal(err)
		}
		certtest.Write(t, l.CertFile, l.KeyFile)
	}
	if served[0] == served[1] {
		t.Error("the certificate is still the old one")
	}
}

func TestListenRefuses(t *testing.T) {
	for want, l := range map[string]Listen{
		"write host:port":     {Address: "7070"},
		"TLS needs both":      {Address: "127.0.0.1:0", CertFile: "x"},
		"TLS certificate":     {Address: "127.0.0.1:0", CertFile: "x", KeyFile: "y"},
		"cannot listen on":    {Address: "127.0.0.1:99999"},
		"is empty: remove it": {Address: "127.0.0.1:0", TokenFile: os.DevNull},
	} {
		d, err := l.open(t.Context(), Default())
		if err == nil {
			d.listener.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", l, err, want)
		}
	}
}

// Where no browser can be opened, the error says what to do.
func TestOpenBrowser(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	err := OpenBrowser("http://127.0.0.1:7070/")
	if err == nil || !strings.Contains(err.Error(), "open http://127.0.0.1:7070/ yourself") {
		t.Errorf("without a command to open pages: %v", err)
	}
}

// Idle connections do not keep visitors out, and take a bounded number of files.
func TestIdleConnections(t *testing.T) {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config = httpServer(http.NotFoundHandler(), 4)
	server.Start()
	defer server.Close()
	dial := func() net.Conn {
		c, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	answered := func(c net.Conn) bool {
		fmt.Fprint(c, "GET / HTTP/1.1\r\nHost: any\r\n\r\n")
		n, _ := c.Read(make([]byte, 1)) // the server answers or has closed the connection
		return n > 0
	}
	one, two, three := dial(), dial(), dial() // half of all for one client
	if answered(three) || !answered(one) || !answered(two) {
		t.Error("a client has another number of connections than two")
	}
	one.Close()
	for resp, err := http.Get(server.URL); ; resp, err = http.Get(server.URL) { // once the server has noticed
		if err == nil {
			resp.Body.Close()
			break
		}
	}
	http.DefaultClient.CloseIdleConnections()
}

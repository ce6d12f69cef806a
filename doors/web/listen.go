package web

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	"tengen/engine"
	"tengen/internal/atomicfile"
	"tengen/internal/certificate"
	"tengen/internal/files"
)

// Listen says where a server answers, and which clients.
type Listen struct {
	Address   string   // host:port; port 0 takes a free one
	Hosts     []string // further names of the server
	TokenFile string   // of the token that addresses off loopback need; made if absent. "": a new token each time
	CertFile  string   // PEM, with KeyFile: TLS. The files may be renewed
	KeyFile   string
}

// Door is an open address of a Server.
type Door struct {
	listener net.Listener
	tls      bool
	hosts    []string
	token    string
}

// Open opens the address. An InputError describes a malformed one.
func (l Listen) Open(ctx context.Context) (*Door, error) {
	host, _, err := net.SplitHostPort(l.Address)
	switch {
	case err != nil:
		return nil, engine.InputError{Err: fmt.Errorf("address %q: %w: write host:port, such as 127.0.0.1:7070", l.Address, err)}
	case (l.CertFile == "") != (l.KeyFile == ""):
		return nil, engine.InputError{Err: errors.New("of the certificate and its key one is missing: TLS needs both")}
	}
	d := &Door{tls: l.CertFile != "", hosts: append([]string{host}, l.Hosts...)}
	var config *tls.Config
	if d.tls {
		if config, err = certificate.Config(l.CertFile, l.KeyFile); err != nil {
			return nil, err
		}
	}
	if !isLoopback(hostName(host)) {
		if d.token, err = l.token(); err != nil {
			return nil, err
		}
	}
	d.listener, err = new(net.ListenConfig).Listen(ctx, "tcp", l.Address)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w: choose another address", l.Address, err)
	}
	if unspecified(host) {
		d.hosts = append(d.hosts, ownNames()...)
	}
	if d.tls {
		d.listener = tls.NewListener(d.listener, config)
	}
	return d, nil
}

func (l Listen) token() (string, error) {
	if l.TokenFile == "" {
		return rand.Text(), nil
	}
	return secret(l.TokenFile)
}

// unspecified reports whether a host means all the machine's addresses.
func unspecified(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "" || err == nil && address.IsUnspecified()
}

func ownNames() []string {
	var names []string
	if name, err := os.Hostname(); err == nil {
		names = append(names, name)
	}
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return names
	}
	for _, a := range addresses {
		if n, ok := a.(*net.IPNet); ok {
			names = append(names, n.IP.String())
		}
	}
	return names
}

// URL returns the page to open, with the token if there is one.
func (d *Door) URL() string {
	u := url.URL{Scheme: "http", Host: d.listener.Addr().String(), Path: "/"}
	if d.tls {
		u.Scheme = "https"
	}
	host, port, err := net.SplitHostPort(u.Host)
	if name, unknown := os.Hostname(); err == nil && unspecified(host) && unknown == nil {
		u.Host = net.JoinHostPort(name, port)
	}
	if d.token != "" {
		u.RawQuery = "token=" + d.token
	}
	return u.String()
}

// Options adds the door's options to a server's.
func (d *Door) Options(o Options) Options {
	o.Hosts, o.Token, o.Secure = append(o.Hosts, d.hosts...), d.token, d.tls
	return o
}

// goodbye is the time in which streams report that a training has ended.
const (
	headerTimeout = 10 * time.Second
	idleTimeout   = 2 * time.Minute
	goodbye       = time.Second
)

// mostConnections bounds the open connections if the process may open enough files.
const mostConnections = 512

// bound returns an http.Server's ConnState that closes new connections above a number, or half of it from one client, so
// that strangers take neither a run's files nor everybody's place.
func bound(most int) func(net.Conn, http.ConnState) {
	open := newCounter(most, max(most/2, 1))
	var leaves sync.Map // by connection
	return func(c net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			leave, err := open.enter(clientOf(c.RemoteAddr().String()))
			if err != nil {
				_ = c.Close()
				return
			}
			leaves.Store(c, leave)
		case http.StateClosed, http.StateHijacked:
			if leave, ok := leaves.LoadAndDelete(c); ok {
				leave.(func())()
			}
		}
	}
}

// Serve answers with s until ctx ends, then closes s and the door. Requests have no
// time limit, which would end streams.
func (d *Door) Serve(ctx context.Context, s *Server) error {
	server := &http.Server{
		Handler: s, ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: 32 << 10,
		ConnState: bound(min(mostConnections, files.MostOpen()/4)),
		ErrorLog:  log.New(io.Discard, "", 0), // clients that disconnect are no news
	}
	stopped := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(stopped)
		if s.options.Live != nil {
			last, done := context.WithTimeout(context.Background(), goodbye)
			defer done()
			_ = server.Shutdown(last) // the remaining clients are closed next
		}
		s.stop()
		_ = server.Close() // the listener is closed in any case
	})
	err := server.Serve(d.listener)
	if !stop() {
		<-stopped
	}
	if ctx.Err() != nil && errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	s.Close()
	return err
}

// Run is Open and Serve. It calls ready with the page to open.
func (l Listen) Run(ctx context.Context, o Options, ready func(page string)) error {
	d, err := l.Open(ctx)
	if err != nil {
		return err
	}
	s, err := New(d.Options(o))
	if err != nil {
		return errors.Join(err, d.Close())
	}
	ready(d.URL())
	return d.Serve(ctx, s)
}

// Close closes an address that was not served.
func (d *Door) Close() error { return d.listener.Close() }

// OpenBrowser opens a page with the platform's command, without waiting for it.
func OpenBrowser(page string) error {
	command := map[string][]string{
		"darwin":  {"open"},
		"windows": {"rundll32", "url.dll,FileProtocolHandler"},
	}[runtime.GOOS]
	if command == nil {
		command = []string{"xdg-open"}
	}
	cmd := exec.Command(command[0], append(command[1:], page)...)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("cannot open a browser by %s: %w: open %s yourself", strings.Join(command, " "), err, page)
	}
	go func() { _ = cmd.Wait() }() // the browser's outcome does not matter
	return nil
}

// secret returns the content of a file, which it makes with a random text if there is none.
func secret(path string) (string, error) {
	content, err := os.ReadFile(path)
	text := strings.TrimSpace(string(content))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		text = rand.Text()
		return text, atomicfile.WriteBytes(path, 0o600, []byte(text+"\n"))
	case err != nil:
		return "", err
	case text == "":
		return "", fmt.Errorf("%s is empty: remove it, and there will be a new one", path)
	}
	return text, nil
}

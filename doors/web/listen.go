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
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"tengen/doors/web/answer"
	"tengen/doors/web/runs"
	"tengen/engine"
	"tengen/internal/atomicfile"
	"tengen/internal/certificate"
	"tengen/internal/files"
	"tengen/internal/loopback"
	"tengen/run"
)

// Listen says where a server listens and which clients it admits.
type Listen struct {
	Address   string   // host:port; port 0 takes a free one
	Hosts     []string // further names of the server
	TokenFile string   // holds the token that visitors need; made if absent. "": a new token each time, none on loopback
	CertFile  string   // PEM, with KeyFile: TLS. The files may be renewed
	KeyFile   string
}

// endpoint is a server at an open address.
type endpoint struct {
	listener net.Listener
	server   *Server
}

// open opens the address for a server. An InputError describes a malformed one.
func (l Listen) open(ctx context.Context, o Options) (*endpoint, error) {
	host, _, err := net.SplitHostPort(l.Address)
	switch {
	case err != nil:
		return nil, engine.InputError{Err: fmt.Errorf("address %q: write host:port, such as 127.0.0.1:7070", l.Address)}
	case l.CertFile != "" && l.KeyFile == "":
		return nil, engine.InputErrorf("--cert is given without --key: TLS needs both")
	case l.CertFile == "" && l.KeyFile != "":
		return nil, engine.InputErrorf("--key is given without --cert: TLS needs both")
	}
	var config *tls.Config
	o.Secure = l.CertFile != ""
	if o.Secure {
		if config, err = certificate.Config(l.CertFile, l.KeyFile); err != nil {
			return nil, err
		}
	}
	if l.TokenFile != "" || !loopback.Is(host) {
		if o.Token, err = l.token(); err != nil {
			return nil, err
		}
	}
	o.Hosts = slices.Concat(o.Hosts, []string{host}, l.Hosts)
	if unspecified(host) {
		o.Hosts = append(o.Hosts, ownNames()...)
	}
	s, err := New(o)
	if err != nil {
		return nil, err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", l.Address)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w: choose another address", l.Address, err)
	}
	if o.Secure {
		listener = tls.NewListener(listener, config)
	}
	return &endpoint{listener, s}, nil
}

// token returns the token in l.TokenFile. If there is no such file, it writes one with a random token.
func (l Listen) token() (string, error) {
	if l.TokenFile == "" {
		return rand.Text(), nil
	}
	content, err := os.ReadFile(l.TokenFile)
	text := strings.TrimSpace(string(files.Text(content)))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		text = rand.Text()
		return text, atomicfile.WriteBytes(l.TokenFile, 0o600, []byte(text+"\n"))
	case err != nil:
		return "", err
	case text == "":
		return "", fmt.Errorf("%s is empty: remove it, and tengen writes a new token", l.TokenFile)
	}
	return text, nil
}

// unspecified reports whether a host stands for all addresses of this machine.
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

// page returns the address to open, with the token if there is one.
func (e *endpoint) page() string {
	u := url.URL{Scheme: "http", Host: e.listener.Addr().String(), Path: "/"}
	if e.server.options.Secure {
		u.Scheme = "https"
	}
	if host, port, err := net.SplitHostPort(u.Host); err == nil && unspecified(host) {
		if name, err := os.Hostname(); err == nil {
			u.Host = net.JoinHostPort(name, port)
		}
	}
	if token := e.server.options.Token; token != "" {
		u.RawQuery = "token=" + token
	}
	return u.String()
}

const (
	headerTimeout = 10 * time.Second
	idleTimeout   = 2 * time.Minute
	goodbye       = time.Second // for streams to report the end of a training, and for requests to end
)

// maxConnections bounds the open connections.
const maxConnections = 512

// bound returns a ConnState hook for http.Server. It closes new connections above limit in all, or half of limit from
// one client. So strangers cannot use up the files that a run needs, and one client cannot shut out the rest.
func bound(limit int) func(net.Conn, http.ConnState) {
	open := answer.NewCounter(limit, max(limit/2, 1))
	var leaves sync.Map // by connection
	return func(c net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			leave, err := open.Enter(answer.ClientOf(c.RemoteAddr().String()))
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

// httpServer returns a server for at most the given number of connections. Requests have no time limit, which would end
// streams.
func httpServer(h http.Handler, connections int) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: 32 << 10,
		ConnState: bound(connections),
		ErrorLog:  log.New(io.Discard, "", 0), // clients that disconnect are no news
	}
}

// serve answers until ctx ends, then ends all requests and closes the address. It does not wait long for a request that
// cannot be ended, such as one that waits for a disk.
func (e *endpoint) serve(ctx context.Context) error {
	defer e.server.Close()
	server := httpServer(e.server, maxConnections)
	requests, end := context.WithCancel(context.Background())
	defer end()
	server.BaseContext = func(net.Listener) context.Context { return requests }
	wait := func() {
		within, done := context.WithTimeout(context.Background(), goodbye)
		defer done()
		_ = server.Shutdown(within) // the remaining clients are closed next
	}
	stopped := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(stopped)
		if e.server.options.Live != nil {
			wait()
		}
		end()
		wait()
		_ = server.Close() // the listener is closed in any case
	})
	err := server.Serve(e.listener)
	if !stop() {
		<-stopped
	}
	if ctx.Err() != nil && errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return err
}

// Run serves until ctx ends. It calls ready with the page to open.
func (l Listen) Run(ctx context.Context, o Options, ready func(page string)) error {
	e, err := l.open(ctx, o)
	if err != nil {
		return err
	}
	ready(e.page())
	return e.serve(ctx)
}

// ServeTraining answers at an address about the run that this process trains, until stop is called. Call stop before
// the training is closed. At most one search and one solver run at a time, each on one core. If the address needs a
// token, the run directory holds it.
func ServeTraining(address string, l *runs.Live, t *run.Training, o Options) (page string, stop func() error, err error) {
	token := filepath.Join(l.Dir, "http-token")
	if err := files.Check(token); err != nil {
		return "", nil, err
	}
	if host, _, err := net.SplitHostPort(address); err == nil && loopback.Is(host) {
		token = ""
	}
	ctx, cancel := context.WithCancel(context.Background())
	o.Live, o.Threads, o.Searches = l, 1, 1
	e, err := Listen{Address: address, TokenFile: token}.open(ctx, o)
	if err != nil {
		cancel()
		return "", nil, err
	}
	l.Attach(t)
	done := make(chan error, 1)
	go func() { done <- e.serve(ctx) }()
	return e.page(), func() error {
		l.End()
		cancel()
		return <-done
	}, nil
}

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
		return fmt.Errorf("cannot open a browser with %s: %w: open %s yourself", strings.Join(command, " "), err, page)
	}
	go func() { _ = cmd.Wait() }() // its exit status does not matter
	return nil
}

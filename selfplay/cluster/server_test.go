package cluster

import (
	"errors"
	stdnet "net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"tengen/internal/certificate/certtest"
	"tengen/replay"
)

// Workers are added and revoked by another process while the server runs.
func TestAccess(t *testing.T) {
	t.Parallel()
	f := newField(t, "a")
	f.add("b")
	conn := f.dial("a", f.server.URL())
	other := f.dial("b", f.server.URL())
	_, err := AddWorker(f.dir, "a")
	wantError(t, err, `worker "a" already exists`)
	for _, name := range []string{"", "a b", "a.b", ">", strings.Repeat("x", 49), replay.LocalWorker} {
		if _, err := AddWorker(f.dir, name); err == nil {
			t.Errorf("a worker may be called %q", name)
		}
	}
	if err := RevokeWorker(f.dir, "a", Ban{}); err != nil {
		t.Fatal(err)
	}
	wantError(t, RevokeWorker(f.dir, "a", Ban{}), `there is no worker "a"`)
	eventually(t, "the end of the connection", func() bool { return !conn.IsConnected() })
	_, err = Dial(DialConfig{URL: f.server.URL(), TokenFile: f.token("a"), Report: f.report})
	wantError(t, err, "the token is wrong or missing, or was revoked")
	f.add("a")
	f.dial("a", f.server.URL())
	if !other.IsConnected() {
		t.Error("another worker was cut off")
	}
	list, err := ListWorkers(f.dir)
	if err != nil || len(list) != 3 || list[0].Name != "a" || list[0].Revoked.IsZero() || list[1].Name != "b" || !list[2].Revoked.IsZero() {
		t.Errorf("workers %+v, %v", list, err)
	}
	if name, err := TokenName(f.token("b")); name != "b" || err != nil {
		t.Errorf("the token is for %q, %v", name, err)
	}
	if info, err := os.Stat(filepath.Join(f.dir, WorkersFile)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v, %v", info.Mode(), err)
	}

	// A file that cannot be used is reported, and changes nothing.
	if err := os.WriteFile(filepath.Join(f.dir, WorkersFile), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a report", func() bool { return f.reported("restore it from a copy") })
	if !other.IsConnected() {
		t.Error("a worker was cut off")
	}
	_, err = ListWorkers(f.dir)
	wantError(t, err, "cannot be used")
	_, err = AddWorker(f.dir, "c")
	wantError(t, err, "cannot be used")
	wantError(t, f.restart(), "cannot be used")
	if err := os.Remove(filepath.Join(f.dir, WorkersFile)); err != nil {
		t.Fatal(err)
	}
	f.add("c") // of another account
	_, err = Dial(DialConfig{URL: f.server.URL(), TokenFile: f.token("c"), Report: f.report})
	wantError(t, err, "the token is wrong")
	file, err := readAccess(f.dir)
	if err != nil {
		t.Fatal(err)
	}
	wantError(t, f.server.accounts.update(f.server.nats, file), "has another key than when the server was started")
}

// The server's warnings name a worker, not its key or an account's.
func TestWarningNamesWorker(t *testing.T) {
	t.Parallel()
	f := newField(t, "greedy")
	conn := f.dial("greedy", f.server.URL())
	for range maxSubscriptions + 1 {
		if _, err := conn.SubscribeSync(conn.NewInbox()); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "a warning", func() bool { return f.reported(`"worker greedy" - maximum subscriptions exceeded`) })
	text := warning{"JetStream consumer '" + public(f.server.accounts.trainer) + " > tasks-run > greedy' ACK sequence", f.dir}.Error()
	if text != "JetStream consumer 'tasks-run > greedy' ACK sequence" {
		t.Error(text)
	}
}

// restart tries to start another server on the folder.
func (f *field) restart() error {
	s, err := StartServer(ServerConfig{Dir: f.dir, Listen: "127.0.0.1:0", Report: f.report})
	if err == nil {
		s.Close()
	}
	return err
}

// An error of Dial and of StartServer says what to do.
func TestDialErrors(t *testing.T) {
	t.Parallel()
	f := newField(t, "a")
	write := func(name, text string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	free, err := stdnet.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	free.Close()
	ending, err := stdnet.Listen("tcp", "127.0.0.1:0") // a server that ends just then
	if err != nil {
		t.Fatal(err)
	}
	defer ending.Close()
	go func() {
		for conn, err := ending.Accept(); err == nil; conn, err = ending.Accept() {
			conn.Close()
		}
	}()
	for _, c := range []struct {
		cfg  DialConfig
		want string
	}{
		{DialConfig{URL: "nats://" + free.Addr().String()}, "nothing answers there"},
		{DialConfig{URL: "nats://" + ending.Addr().String()}, "nothing answers there"},
		{DialConfig{URL: f.server.URL()}, "the token is wrong or missing"},
		{DialConfig{URL: f.server.URL(), TokenFile: write("t", "a:b")}, "the token is wrong or missing"},
		{DialConfig{URL: f.server.URL(), TokenFile: write("t", "abc")}, "holds neither a token nor a user name"},
		{DialConfig{URL: f.server.URL(), TokenFile: "absent"}, "token file"},
		{DialConfig{URL: strings.Replace(f.server.URL(), "nats:", "tls:", 1), TokenFile: f.token("a")}, "the server has no TLS"},
		{DialConfig{URL: f.server.URL(), TokenFile: f.token("a"), CA: "absent"}, "absent"},
		{DialConfig{URL: f.server.URL(), TokenFile: f.token("a"), CA: write("ca", "abc")}, "failed to parse root certificate"},
	} {
		c.cfg.Report = f.report
		conn, err := Dial(c.cfg)
		wantError(t, err, c.want)
		if conn != nil {
			conn.Close()
		}
		if c.want == "nothing answers there" && !errors.Is(err, nats.ErrNoServers) {
			t.Errorf("%v does not wrap nats.ErrNoServers", err)
		}
	}
	taken := f.server.URL()[len("nats://"):]
	for _, c := range []struct {
		cfg  ServerConfig
		want string
	}{
		{ServerConfig{Listen: "here"}, "missing port"},
		{ServerConfig{Listen: "127.0.0.1:x"}, "must be 0 to 65535"},
		{ServerConfig{Listen: taken}, "address already in use"},
		{ServerConfig{Listen: "127.0.0.1:0", CertFile: "cert"}, "both a certificate and its key"},
		{ServerConfig{Listen: "127.0.0.1:0", CertFile: "cert", KeyFile: "key"}, "TLS certificate"},
	} {
		c.cfg.Dir, c.cfg.Report = t.TempDir(), f.report
		_, err := StartServer(c.cfg)
		wantError(t, err, c.want)
	}
}

// The server's certificate may be replaced while it runs.
func TestCertificate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cert, key, before := filepath.Join(dir, "cert"), filepath.Join(dir, "key"), filepath.Join(dir, "before")
	certtest.Write(t, cert, key)
	content, err := os.ReadFile(cert)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(before, content, 0o600); err != nil {
		t.Fatal(err)
	}
	f := &field{t: t, dir: dir}
	f.add("a")
	f.server, err = StartServer(ServerConfig{Dir: dir, Listen: "127.0.0.1:0", CertFile: cert, KeyFile: key, MaxMemory: 64 << 20, Report: f.report})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.server.Close() })
	dial := func(ca string) error {
		conn, err := Dial(DialConfig{URL: f.server.URL(), TokenFile: f.token("a"), CA: ca, Report: f.report})
		if err == nil {
			conn.Close()
		}
		return err
	}
	wantError(t, dial(""), "an unknown authority has signed the server's certificate")
	for _, ca := range []string{cert, before} {
		if err := dial(ca); err != nil {
			t.Error(ca, err)
		}
	}
	certtest.Write(t, cert, filepath.Join(dir, "later"))
	if dial(before) == nil {
		t.Error("the files do not go together")
	}
	if err := os.Rename(filepath.Join(dir, "later"), key); err != nil {
		t.Fatal(err)
	}
	if err := dial(cert); err != nil {
		t.Error(err)
	}
	wantError(t, dial(before), "an unknown authority")
}

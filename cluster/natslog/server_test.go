package natslog

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	crand "crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"tengen/internal/fulltest"
	"tengen/internal/random"
	"tengen/replay/logtest"
)

func wantError(t *testing.T, err error, part string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), part) {
		t.Errorf("error %v, want one that says %q", err, part)
	}
}

func TestStartServerErrors(t *testing.T) {
	taken := startServer(t, ServerConfig{Listen: "127.0.0.1:0", Admit: admit})
	busy := strings.TrimPrefix(taken.URL(), "nats://")
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	open := t.TempDir()
	startServer(t, ServerConfig{Dir: open})
	for _, c := range []struct {
		cfg  ServerConfig
		want string
	}{
		{ServerConfig{Dir: ""}, "no folder"},
		{ServerConfig{Dir: file}, "not a directory"},
		{ServerConfig{Dir: open}, "another process"},
		{ServerConfig{Dir: t.TempDir(), Listen: "127.0.0.1:0"}, "nobody would be admitted"},
		{ServerConfig{Dir: t.TempDir(), Listen: "127.0.0.1", Admit: admit}, "missing port"},
		{ServerConfig{Dir: t.TempDir(), Listen: "127.0.0.1:70000", Admit: admit}, "0 to 65535"},
		{ServerConfig{Dir: t.TempDir(), Listen: busy, Admit: admit}, "address already in use"},
		{ServerConfig{Dir: t.TempDir(), Listen: "127.0.0.1:0", Admit: admit, CertFile: file}, "its key"},
		{ServerConfig{Dir: t.TempDir(), Listen: "127.0.0.1:0", Admit: admit, CertFile: file, KeyFile: file}, "TLS certificate"},
	} {
		_, err := StartServer(c.cfg)
		wantError(t, err, c.want)
	}
}

// A server that was killed while it made the log finds a folder without a description, and has nothing to tell, because there was
// nothing to lose. With games it has.
func TestUnfinishedStream(t *testing.T) {
	fulltest.Only(t)
	for _, games := range []int{0, 1} {
		dir := t.TempDir()
		s := startServer(t, ServerConfig{Dir: dir})
		logtest.Fill(t, openLog(t, connect(t, s), LogConfig{}), "w", games)
		s.Close()
		if err := os.Remove(filepath.Join(dir, "jetstream", "$G", "streams", "games-run", "meta.inf")); err != nil {
			t.Fatal(err)
		}
		told := &reports{}
		s = startServer(t, ServerConfig{Dir: dir, Report: told.add})
		if games > 0 {
			told.wait(t, "Missing stream metafile")
		}
		openLog(t, connect(t, s), LogConfig{})
		s.Close()
		if games == 0 && len(told.all) > 0 {
			t.Errorf("an empty log that was not finished is told: %q", told.all)
		}
	}
}

// That a server has to wait for its disk or its processor is nothing to report.
func TestSlownessIsNotReported(t *testing.T) {
	told := &reports{}
	l := &logger{report: told.add, strangers: &notices{report: told.add, now: time.Now}}
	l.Warnf("Internal subscription on %q took too long: %v", "$JS.API.STREAM.INFO.games-run", 3*time.Second)
	l.Warnf("127.0.0.1:5 - cid:7 - Readloop processing time: %v", 3*time.Second)
	l.Warnf("127.0.0.1:5 - cid:7 - Producer was stalled for a total of %v", 12*time.Millisecond)
	l.Warnf("127.0.0.1:5 - cid:7 - Client parser error")
	if len(told.all) != 1 || !strings.Contains(told.all[0], "parser error") {
		t.Errorf("it is told %q", told.all)
	}
}

// A server without an address opens no port.
func TestNoPort(t *testing.T) {
	if url := startServer(t, ServerConfig{}).URL(); url != "" {
		t.Errorf("the server listens at %s", url)
	}
}

func TestDial(t *testing.T) {
	t.Parallel()
	s := startServer(t, ServerConfig{Listen: "127.0.0.1:0", Admit: admit})
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	l := openLog(t, connect(t, s), LogConfig{})
	conn, err := Dial(t.Context(), ClientConfig{URL: s.URL(), TokenFile: file, Worker: "w-ABCDEFGH"})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	appendOne(t, l, conn)

	for _, c := range []struct {
		cfg  ClientConfig
		want string
	}{
		{ClientConfig{URL: s.URL()}, "token is wrong or missing"},
		{ClientConfig{URL: s.URL(), Token: "guess"}, "token is wrong or missing"},
		{ClientConfig{URL: "nats://127.0.0.1:1", Token: token}, "start the server"},
		{ClientConfig{URL: s.URL(), Token: token, TokenFile: file}, "only one"},
		{ClientConfig{URL: s.URL(), TokenFile: file + "?"}, "token file"},
		{ClientConfig{URL: s.URL(), Credentials: file + "?"}, "credentials"},
		{ClientConfig{URL: s.URL(), Token: token, CA: file}, "no PEM certificate"},
		{ClientConfig{URL: strings.Replace(s.URL(), "nats:", "tls:", 1), Token: token}, "has no TLS"},
	} {
		conn, err := Dial(t.Context(), c.cfg)
		wantError(t, err, c.want)
		if err == nil {
			conn.Close()
		}
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Dial(cancelled, ClientConfig{URL: s.URL(), Token: token})
	wantError(t, err, "canceled")
}

// Nobody answers where a machine is off, or behind a firewall, either. A name that is not known, or a port that cannot be, is a mistake.
func TestUnanswered(t *testing.T) {
	for name, test := range map[string]struct {
		op    string
		cause error
		want  bool
	}{
		"refused":     {"dial", os.NewSyscallError("connectex", errors.New("the target machine actively refused it")), true},
		"unreachable": {"dial", os.NewSyscallError("connect", syscall.EHOSTUNREACH), true},
		"silent":      {"dial", os.ErrDeadlineExceeded, true},
		"no name":     {"dial", &net.DNSError{Err: "no such host", IsNotFound: true}, false},
		"no port":     {"dial", &net.AddrError{Err: "invalid port"}, false},
		"cut":         {"read", os.NewSyscallError("read", syscall.ECONNRESET), false},
	} {
		cause := &net.OpError{Op: test.op, Net: "tcp", Err: test.cause}
		err := unanswered(fmt.Errorf("nats: %w", cause))
		if got := errors.Is(err, nats.ErrNoServers); got != test.want || !errors.Is(err, cause) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// appendOne checks that worker w-ABCDEFGH can send a game over a connection.
func appendOne(t *testing.T, l *Log, conn *nats.Conn) {
	t.Helper()
	if _, err := openAppender(t, conn, "w-ABCDEFGH").Append(t.Context(), logtest.Game(1, 5)); err != nil {
		t.Error(err)
	}
	if n := len(logtest.Entries(t, l, 0)); n != 1 {
		t.Errorf("%d games, want 1", n)
	}
}

func TestTLS(t *testing.T) {
	cert, key := writeCertificate(t)
	other, _ := writeCertificate(t)
	s := startServer(t, ServerConfig{Listen: "127.0.0.1:0", Admit: admit, CertFile: cert, KeyFile: key})
	l := openLog(t, connect(t, s), LogConfig{})
	conn, err := Dial(t.Context(), ClientConfig{URL: s.URL(), Token: token, Worker: "w-ABCDEFGH", CA: cert})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	appendOne(t, l, conn)
	_, err = Dial(t.Context(), ClientConfig{URL: s.URL(), Token: token, CA: other})
	wantError(t, err, "not signed by the given authority, "+other)
	_, err = Dial(t.Context(), ClientConfig{URL: s.URL(), Token: token})
	wantError(t, err, "give the one that has")
}

// writeCertificate writes a self-signed certificate for 127.0.0.1, and its key.
func writeCertificate(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), crand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		NotAfter:              time.Now().Add(time.Hour),
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA:                  true,
		BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(crand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, block := range map[string]*pem.Block{
		cert: {Type: "CERTIFICATE", Bytes: der},
		key:  {Type: "PRIVATE KEY", Bytes: secret},
	} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

// Whatever strangers send to the port, they get no game, and the server goes on.
func TestGarbage(t *testing.T) {
	t.Parallel()
	s := startServer(t, ServerConfig{Listen: "127.0.0.1:0", Admit: admit})
	l := openLog(t, connect(t, s), LogConfig{})
	logtest.Fill(t, l, "w", 3)
	rng := random.New(5, random.Test)
	sayings := []string{
		"CONNECT {}\r\n", "PING\r\n", "SUB > 1\r\n", "PUB games.run 2\r\nhi\r\n", "HPUB games.run 12 14\r\n",
		"SUB $JS.API.> 2\r\n", "CONNECT {\"auth_token\":\"guess\"}\r\n", "MSG", "\x00\xff", "-ERR\r\n", "INFO {}\r\n",
	}
	for range rounds(200, 5000) {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL(), "nats://"))
		if err != nil {
			t.Fatal(err)
		}
		for range rng.IntN(5) {
			saying := []byte(sayings[rng.IntN(len(sayings))])
			for range rng.IntN(3) {
				saying[rng.IntN(len(saying))] = byte(rng.IntN(256))
			}
			conn.Write(saying) // the server may have closed it
		}
		conn.Close()
	}
	stranger, err := net.Dial("tcp", strings.TrimPrefix(s.URL(), "nats://"))
	if err != nil {
		t.Fatal(err)
	}
	defer stranger.Close()
	stranger.Write([]byte("CONNECT {}\r\nSUB > 1\r\nPING\r\n"))
	var heard []byte
	for buffer := make([]byte, 4096); ; {
		n, err := stranger.Read(buffer)
		heard = append(heard, buffer[:n]...)
		if err != nil {
			break
		}
	}
	if !strings.Contains(string(heard), "Authorization Violation") || strings.Contains(string(heard), "MSG ") {
		t.Errorf("a stranger was told %q", heard)
	}
	logtest.Fill(t, l, "v", 3)
	if entries := logtest.Entries(t, l, 0); len(entries) != 6 {
		t.Errorf("%d entries, want 6", len(entries))
	}
}

// What goes wrong with a connection inside the process is told to whoever started the server, not printed.
func TestConnectReports(t *testing.T) {
	told := make(chan string, 100)
	conn, err := startServer(t, ServerConfig{Report: func(message string) { told <- message }}).Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.ChanSubscribe("lease.run.*", make(chan *nats.Msg, 1)); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := conn.Publish("lease.run.w", nil); err != nil {
			t.Fatal(err)
		}
	}
	if message := <-told; !strings.Contains(message, "slow consumer") || !strings.Contains(message, "lease.run.*") {
		t.Errorf("it says %q", message)
	}
}

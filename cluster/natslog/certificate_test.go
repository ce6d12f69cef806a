package natslog

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"tengen/internal/fulltest"
)

// A certificate that is replaced is used for the next connection, without a restart; while it and its key do not go together, the one
// before is.
func TestCertificateIsReplaced(t *testing.T) {
	fulltest.Only(t)
	t.Parallel()
	cert, key := writeCertificate(t)
	next, nextKey := writeCertificate(t)
	told := &reports{}
	s := startServer(t, ServerConfig{Listen: "127.0.0.1:0", Admit: admit, CertFile: cert, KeyFile: key, Report: told.add})
	before := t.TempDir() + "/before.pem"
	copyFile(t, cert, before)
	reaches := func(ca string) bool {
		conn, err := Dial(t.Context(), ClientConfig{URL: s.URL(), Token: token, Worker: "w-ABCDEFGH", CA: ca})
		if err == nil {
			conn.Close()
		}
		return err == nil
	}
	copyFile(t, next, cert)
	told.wait(t, "the new TLS certificate is not used")
	if !reaches(before) {
		t.Error("the old certificate is gone before the new one can be used")
	}
	copyFile(t, nextKey, key)
	eventually(t, "the new certificate", func() bool { return reaches(next) })
	if reaches(before) {
		t.Error("the old certificate is still used")
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	content, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to+".new", content, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(to+".new", to); err != nil {
		t.Fatal(err)
	}
}

// The end of a certificate is told two weeks before and then every day, with the date.
func TestCertificateEnds(t *testing.T) {
	cert, key := writeCertificate(t)
	told := &reports{}
	c, err := openCertificate(cert, key, told.add)
	if err != nil {
		t.Fatal(err)
	}
	end := c.pair.Leaf.NotAfter
	for _, before := range []time.Duration{15 * 24, 13 * 24, 13*24 - 1, 12 * 24, 25, 24, 1, -1, -24, -25} {
		c.now = func() time.Time { return end.Add(-before * time.Hour) }
		c.review()
	}
	want := []string{"days left: 13", "days left: 12", "days left: 1", "days left: 0", "has ended"}
	if len(told.all) != len(want) {
		t.Fatalf("told %q", told.all)
	}
	for i, part := range want {
		if !strings.Contains(told.all[i], part) || !strings.Contains(told.all[i], end.Format(time.DateOnly)) {
			t.Fatalf("report %d of %q does not say %q", i, told.all, part)
		}
	}
}

// Whoever sends games and tokens in the clear to other machines is told.
func TestClearTextIsToldOf(t *testing.T) {
	cert, key := writeCertificate(t)
	for _, c := range []struct {
		cfg  ServerConfig
		told bool
	}{
		{ServerConfig{}, false},
		{ServerConfig{Listen: "127.0.0.1:0", Admit: admit}, false},
		{ServerConfig{Listen: "localhost:0", Admit: admit}, false},
		{ServerConfig{Listen: ":0", Admit: admit}, true},
		{ServerConfig{Listen: "0.0.0.0:0", Admit: admit}, true},
		{ServerConfig{Listen: ":0", Admit: admit, CertFile: cert, KeyFile: key}, false},
	} {
		told := &reports{}
		c.cfg.Report = told.add
		startServer(t, c.cfg).Close()
		is := slices.ContainsFunc(told.all, func(message string) bool { return strings.Contains(message, "pass in the clear") })
		if is != c.told {
			t.Errorf("%q: told %q", c.cfg.Listen, told.all)
		}
	}
}

// What strangers cause again and again is told at once, and then once a minute with a count.
func TestNotices(t *testing.T) {
	told := &reports{}
	clock := time.Unix(1000, 0)
	n := &notices{report: told.add, now: func() time.Time { return clock }}
	for i := range 125 {
		n.tell("knock " + string(rune('a'+i%26)))
		clock = clock.Add(time.Second)
	}
	n.flush()
	clock = clock.Add(time.Hour)
	n.flush()
	n.flush()
	want := []string{
		"knock a",
		"knock i (and 59 times something of the kind in the last 1m0s)",
		"knock q (and 59 times something of the kind in the last 1m0s)",
		"knock u (and 3 times something of the kind in the last 1m0s)",
	}
	if !slices.Equal(told.all, want) {
		t.Errorf("told %q", told.all)
	}
}

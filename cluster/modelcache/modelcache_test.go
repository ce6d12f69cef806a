package modelcache

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func open(t *testing.T, dir string, limit int64) *Cache {
	t.Helper()
	c, err := Open(dir, limit, func(err error) { t.Log(err) })
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func digestOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// source counts what is fetched from it.
type source struct {
	content []byte
	fetched atomic.Int64 // bytes
}

func (s *source) fetch(p *Part) error {
	rest := s.content[p.Len():]
	s.fetched.Add(int64(len(rest)))
	p.Write(rest)
	return nil
}

func load(t *testing.T, c *Cache, s *source) {
	t.Helper()
	got, err := c.Load(t.Context(), digestOf(s.content), len(s.content), func(int) {}, s.fetch)
	if err != nil || !bytes.Equal(got, s.content) {
		t.Errorf("%d bytes, %v; want %d", len(got), err, len(s.content))
	}
}

func only(t *testing.T, dir, pattern string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(files) != 1 {
		t.Fatalf("files %v, %v; want one %s", files, err, pattern)
	}
	return files[0]
}

// Many workers of a host want a model at the same time: it comes once. They use one cache or one each, as processes do.
func TestOnce(t *testing.T) {
	dir := t.TempDir()
	s := &source{content: bytes.Repeat([]byte("model"), 10_000)}
	slow := func(p *Part) error {
		time.Sleep(10 * time.Millisecond)
		return s.fetch(p)
	}
	shared := open(t, dir, DefaultLimit)
	var wait sync.WaitGroup
	for i := range 16 {
		c := shared
		if i%2 == 0 {
			c = open(t, dir, DefaultLimit)
		}
		wait.Go(func() {
			got, err := c.Load(t.Context(), digestOf(s.content), len(s.content), func(int) {}, slow)
			if err != nil || !bytes.Equal(got, s.content) {
				t.Errorf("%d bytes, %v", len(got), err)
			}
		})
	}
	wait.Wait()
	if n := s.fetched.Load(); n != int64(len(s.content)) {
		t.Errorf("%d bytes were fetched for a model of %d", n, len(s.content))
	}
}

// A damaged entry is fetched anew, and is whole from then on. So is one that is cut short.
func TestDamagedEntry(t *testing.T) {
	dir := t.TempDir()
	s := &source{content: bytes.Repeat([]byte("model"), 1000)}
	c := open(t, dir, DefaultLimit)
	load(t, c, s)
	for times, damage := range []func([]byte) []byte{
		func(b []byte) []byte { b[99] ^= 4; return b },
		func(b []byte) []byte { return b[:500] },
		func(b []byte) []byte { return nil },
	} {
		path := only(t, dir, "*"+modelEnd)
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, damage(content), 0o600); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			load(t, c, s)
		}
		if n, want := s.fetched.Load(), int64((times+2)*len(s.content)); n != want {
			t.Errorf("%d bytes were fetched, want %d", n, want)
		}
	}
}

// What an interrupted download has left is gone on with, by another process, too. If it is damaged, or of no use, all is fetched.
func TestInterrupted(t *testing.T) {
	dir := t.TempDir()
	s := &source{content: bytes.Repeat([]byte("model"), 1000)}
	digest, cut := digestOf(s.content), errors.New("cut")
	_, err := open(t, dir, DefaultLimit).Load(t.Context(), digest, len(s.content), func(int) {}, func(p *Part) error {
		p.Write(s.content[:1234])
		return cut
	})
	if !errors.Is(err, cut) {
		t.Fatal(err)
	}
	load(t, open(t, dir, DefaultLimit), s)
	if n, want := s.fetched.Load(), int64(len(s.content)-1234); n != want {
		t.Errorf("%d bytes were fetched, want the rest, %d", n, want)
	}
	if err := os.Remove(only(t, dir, "*"+modelEnd)); err != nil {
		t.Fatal(err)
	}
	part := filepath.Join(dir, digest+partEnd)
	if err := os.WriteFile(part, make([]byte, len(s.content)+1), 0o600); err != nil {
		t.Fatal(err)
	}
	load(t, open(t, dir, DefaultLimit), s) // it is too long
	if err := os.Rename(only(t, dir, "*"+modelEnd), part); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(part, make([]byte, 600), 0o600); err != nil {
		t.Fatal(err)
	}
	c := open(t, dir, DefaultLimit)
	if _, err := c.Load(t.Context(), digest, len(s.content), func(int) {}, s.fetch); !errors.Is(err, ErrDamaged) {
		t.Errorf("a download that began with other bytes: %v", err)
	}
	load(t, c, s)
}

// What was not used for the longest time goes first, and the newest stays even if it is too large.
func TestLimit(t *testing.T) {
	dir := t.TempDir()
	c := open(t, dir, 2500)
	var sources []*source
	for i := range 3 {
		s := &source{content: bytes.Repeat([]byte{byte(i)}, 1000)}
		sources = append(sources, s)
		load(t, c, s)
		then := time.Now().Add(time.Duration(i-10) * time.Hour)
		if err := os.Chtimes(filepath.Join(dir, digestOf(s.content)+modelEnd), then, then); err != nil {
			t.Fatal(err)
		}
		load(t, c, sources[0]) // always in use
	}
	for _, s := range sources {
		if _, err := os.Stat(filepath.Join(dir, digestOf(s.content)+modelEnd)); (err == nil) != (s != sources[1]) {
			t.Errorf("model %d: %v; want that the second was removed for the third", s.content[0], err)
		}
	}
	large := &source{content: make([]byte, 5000)}
	load(t, c, large)
	load(t, c, large)
	if n := large.fetched.Load(); n != 5000 {
		t.Errorf("a large model was fetched: %d bytes of 5000", n)
	}
	only(t, dir, "*"+modelEnd)
	only(t, dir, "*"+lockEnd)
}

// A model comes also where there is no cache, or one that cannot be written.
func TestWithoutCache(t *testing.T) {
	s := &source{content: []byte("model")}
	load(t, nil, s)
	wrong := func(p *Part) error { p.Write([]byte("other")); return nil }
	var none *Cache
	if _, err := none.Load(t.Context(), digestOf(s.content), 5, func(int) {}, wrong); !errors.Is(err, ErrDamaged) {
		t.Errorf("other bytes: %v", err)
	}
	dir := filepath.Join(t.TempDir(), "cache")
	reports := 0
	c, err := Open(dir, DefaultLimit, func(error) { reports++ })
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	load(t, c, s)
	if reports != 1 {
		t.Errorf("%d reports, want one", reports)
	}
	if runtime.GOOS == "windows" {
		return
	}
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, DefaultLimit, func(error) {}); err == nil {
		t.Error("a file is taken for a folder")
	}
}

// Who waits for another's download hears how far it is, and can give up.
func TestWaiting(t *testing.T) {
	dir := t.TempDir()
	c := open(t, dir, DefaultLimit)
	s := &source{content: []byte("model")}
	digest := digestOf(s.content)
	ctx, cancel := context.WithCancel(t.Context())
	given := errors.New("given up")
	_, err := c.Load(t.Context(), digest, 5, func(int) {}, func(p *Part) error {
		p.Write([]byte("mo"))
		_, err := c.Load(ctx, digest, 5, func(n int) {
			if n != 2 {
				t.Errorf("%d bytes have arrived, want 2", n)
			}
			cancel()
		}, s.fetch)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("while another fetches: %v", err)
		}
		return given
	})
	if !errors.Is(err, given) {
		t.Error(err)
	}
}

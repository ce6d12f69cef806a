package natslog

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"tengen/internal/fulltest"
)

// short is a term that ends while a test waits for it, long one that does not even where tests take long.
const short, long = time.Second, 10 * time.Second

func lead(t *testing.T, conn *nats.Conn, dir string, term time.Duration, waiting func(error)) (*Leadership, context.Context, error) {
	t.Helper()
	if waiting == nil {
		waiting = func(error) {}
	}
	return Lead(t.Context(), conn, "run", dir, 1, term, waiting)
}

// silence stops the renewal of a leadership, as if its process had died.
func silence(l *Leadership) {
	l.stop()
	l.done.Wait()
}

// locked is a folder that this process has locked.
func locked(t *testing.T, dir string) string {
	t.Helper()
	lock, err := LockFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { lock.Unlock() })
	return dir
}

// A second process is refused while the first is there, and the error says who that is. After its release nobody waits.
func TestOneLeads(t *testing.T) {
	fulltest.Only(t)
	t.Parallel()
	s := startServer(t, ServerConfig{})
	first, leading, err := lead(t, connect(t, s), "/runs/first", long, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = lead(t, connect(t, s), "/runs/copy", long, nil)
	if !errors.Is(err, ErrLed) {
		t.Errorf("the error is %v", err)
	}
	wantError(t, err, `in "/runs/first", since `)
	if leading.Err() != nil {
		t.Errorf("the first has lost it: %v", context.Cause(leading))
	}
	first.Release()
	second, _, err := lead(t, connect(t, s), "/runs/copy", long, func(err error) { t.Errorf("it waits: %v", err) })
	if err != nil {
		t.Fatal(err)
	}
	second.Release()
}

// A leadership that is not renewed is taken over, by a process of the same directory at once. Who has lost it learns that at the next
// renewal, and cannot write over the entries of the other.
func TestLeadershipIsTakenOver(t *testing.T) {
	fulltest.Only(t)
	t.Parallel()
	s := startServer(t, ServerConfig{})
	away, leading, err := lead(t, connect(t, s), "/runs/first", short, nil)
	if err != nil {
		t.Fatal(err)
	}
	entries := openBucketOf(t, connect(t, s))
	entries.WriteAlone()
	if err := entries.Put(t.Context(), "order", 1); err != nil {
		t.Fatal(err)
	}
	silence(away)
	waited := 0
	copied := locked(t, t.TempDir())
	next, nextLeads, err := lead(t, connect(t, s), copied, short, func(error) { waited++ })
	if err != nil || waited != 1 {
		t.Fatalf("waited %d times, %v", waited, err)
	}
	theirs := openBucketOf(t, connect(t, s))
	theirs.WriteAlone()
	for range 2 {
		if err := theirs.Put(t.Context(), "order", 2); err != nil {
			t.Fatal(err)
		}
	}
	if err := entries.Put(t.Context(), "order", 3); !errors.Is(err, ErrOvertaken) {
		t.Errorf("the one that was away writes: %v", err)
	}
	renewing, stop := context.WithCancel(t.Context())
	defer stop()
	away.stop = stop
	away.done.Go(func() { away.renew(renewing) })
	<-leading.Done()
	if cause := context.Cause(leading); !errors.Is(cause, ErrLed) || !strings.Contains(cause.Error(), strconv.Quote(copied)) {
		t.Errorf("it ends because of %v", cause)
	}
	away.Release() // leaves the other's alone
	if err := nextLeads.Err(); err != nil {
		t.Error(err)
	}

	silence(next)
	again, _, err := lead(t, connect(t, s), copied, short, func(err error) {
		if runtime.GOOS == "linux" {
			t.Errorf("the same directory waits: %v", err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	again.Release()
	var order int
	if err := theirs.Get(t.Context(), "order", &order); err != nil || order != 2 {
		t.Errorf("the order is %d, %v", order, err)
	}
}

// Containers of one machine may have the same host name, and each a directory of its own under the same path: a process in one does
// not take one in another for dead. One that is started again in a container of another name, and finds the same directory at another
// path, need not wait.
func TestLeadersInContainers(t *testing.T) {
	fulltest.Only(t)
	t.Parallel()
	s := startServer(t, ServerConfig{})
	root := t.TempDir()
	path, elsewhere := filepath.Join(root, "run"), filepath.Join(root, "first")
	first, _, err := lead(t, connect(t, s), locked(t, path), long, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path, elsewhere); err != nil {
		t.Fatal(err)
	}
	if _, _, err := lead(t, connect(t, s), locked(t, path), long, nil); !errors.Is(err, ErrLed) {
		t.Errorf("the error is %v", err)
	}
	silence(first)
	again, _, err := lead(t, connect(t, s), elsewhere, long, func(err error) {
		if runtime.GOOS == "linux" {
			t.Errorf("the same directory waits: %v", err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	again.Release()
}

// Of several that come at the same time one leads.
func TestLeadersRace(t *testing.T) {
	fulltest.Only(t)
	t.Parallel()
	s := startServer(t, ServerConfig{})
	const processes = 5
	var wait sync.WaitGroup
	var mu sync.Mutex
	var won []*Leadership
	for i := range processes {
		wait.Go(func() {
			l, _, err := lead(t, connect(t, s), "/runs/"+string(rune('a'+i)), long, nil)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				won = append(won, l)
			} else if !errors.Is(err, ErrLed) {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if len(won) != 1 {
		t.Errorf("%d lead", len(won))
	}
	for _, l := range won {
		l.Release()
	}
}

// A leader's entry that is damaged is waited for as any other.
func TestDamagedLeader(t *testing.T) {
	fulltest.Only(t)
	t.Parallel()
	s := startServer(t, ServerConfig{})
	if err := openBucketOf(t, connect(t, s)).Put(t.Context(), leaderKey, "garbage"); err != nil {
		t.Fatal(err)
	}
	l, _, err := lead(t, connect(t, s), "/runs/a", short, func(err error) { wantError(t, err, "does not say which") })
	if err != nil {
		t.Fatal(err)
	}
	l.Release()
}

func openBucketOf(t *testing.T, conn *nats.Conn) *Bucket {
	t.Helper()
	m, err := OpenModels(t.Context(), conn, "run", 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m.Bucket()
}

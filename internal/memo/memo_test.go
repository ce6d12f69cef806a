package memo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// A file is read again only after a change, and by one reader at a time. A waiting caller can give up. A caller with another
// file does not wait.
func TestMemo(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write := func(text string, modified time.Time) {
		if err := errors.Join(os.WriteFile(file, []byte(text), 0o644), os.Chtimes(file, modified, modified)); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		m, reads, turn := New[string](9), 0, make(chan struct{})
		slow := func() (string, error) {
			reads++
			<-turn
			content, err := os.ReadFile(file)
			return string(content), err
		}
		got := make(chan string)
		ask := func(name string) {
			value, err := m.Get(t.Context(), file, name, slow)
			if err != nil {
				value = err.Error()
			}
			got <- value
		}
		write("one", time.Now())
		for range 4 {
			go ask("")
		}
		synctest.Wait()
		if reads != 1 {
			t.Errorf("%d readers at once", reads)
		}
		if other, err := m.Get(t.Context(), file+"2", "", func() (string, error) { return "two", nil }); err != nil || other != "two" {
			t.Errorf("another file: %q, %v", other, err)
		}
		gone, leave := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, leave)
		if _, err := m.Get(gone, file, "", slow); !errors.Is(err, context.Canceled) {
			t.Errorf("who has left gets the error %v", err)
		}
		close(turn)
		for range 4 {
			if text := <-got; text != "one" {
				t.Errorf("%q was read", text)
			}
		}
		write("three", time.Now())
		for range 2 {
			if text, err := m.Get(t.Context(), file, "", slow); err != nil || text != "three" || reads != 2 {
				t.Errorf("after a change: %q, %v, read %d times", text, err, reads)
			}
		}
	})
}

// An error that may pass is not kept, nor is a value whose reader panics. One that lies in the file is.
func TestMemoOfErrors(t *testing.T) {
	m, reads := New[int](1), 0
	fail := func(err error) func() (int, error) { return func() (int, error) { reads++; return 0, err } }
	lasting := errors.New("damaged")
	for i, c := range []struct {
		err   error
		reads int
	}{{&os.PathError{Err: syscall.EMFILE}, 1}, {&os.PathError{Err: syscall.EMFILE}, 2}, {lasting, 3}, {lasting, 3}} {
		if _, err := m.Get(t.Context(), "file", "", fail(c.err)); !errors.Is(err, c.err) || reads != c.reads {
			t.Errorf("call %d: error %v, read %d times", i, err, reads)
		}
	}
	func() {
		defer func() { _ = recover() }()
		_, _ = m.Get(t.Context(), "other", "", func() (int, error) { panic("a fault") })
	}()
	if n, err := m.Get(t.Context(), "other", "", func() (int, error) { return 7, nil }); n != 7 || err != nil || len(m.kept) != 1 {
		t.Errorf("after a panic: %d, %v, %d values kept", n, err, len(m.kept))
	}
}

// The most recently used values stay.
func TestMemoKeepsTheNewest(t *testing.T) {
	const limit = 3
	m, reads := New[int](limit), 0
	ask := func(file int) {
		if _, err := m.Get(t.Context(), fmt.Sprint(file), "", func() (int, error) { reads++; return file, nil }); err != nil {
			t.Error(err)
		}
	}
	for range 3 {
		for file := range limit {
			ask(file)
		}
	}
	if reads != limit {
		t.Errorf("%d files are read %d times", limit, reads)
	}
	for other := range limit - 1 { // all but the last give way
		ask(100 + other)
	}
	reads = 0
	if ask(limit - 1); reads != 0 {
		t.Error("the most recently used value has given way")
	}
	if ask(0); reads != 1 {
		t.Errorf("more than %d values are kept", limit)
	}
}

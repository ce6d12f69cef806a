package web

import (
	"context"
	"errors"
	"os"
	"sync"
	"syscall"
)

// errPanicked is the result of a reader that panics.
var errPanicked = errors.New("the reader panicked")

// memo keeps what was read from files until they change, the most recently used up to a limit. It is safe for concurrent
// use, and reads under no lock.
type memo[T any] struct {
	limit int

	mu      sync.Mutex
	uses    int
	kept    map[memoKey]*memory[T]
	reading map[string]chan struct{} // by path; closed when its reader is done
}

type memoKey struct{ path, name string }

type memory[T any] struct {
	version
	value T
	err   error
	used  int // memo.uses at the last use
}

// version tells a file from what it was before a change.
type version struct{ modified, size int64 }

// versionOf returns the version of a file or directory, zero if there is none.
func versionOf(path string) (v version) {
	if info, err := os.Stat(path); err == nil {
		v = version{info.ModTime().UnixNano(), info.Size()}
	}
	return v
}

func newMemo[T any](limit int) *memo[T] {
	return &memo[T]{limit: limit, kept: map[memoKey]*memory[T]{}, reading: map[string]chan struct{}{}}
}

// get returns the result of read for a file, and caches it under path and name until the file changes. A
// file has one reader at a time, so that many who ask for it take the memory of one. The others wait, until ctx ends at
// most.
func (m *memo[T]) get(ctx context.Context, path, name string, read func() (T, error)) (value T, err error) {
	key, now := memoKey{path, name}, versionOf(path)
	for ctx.Err() == nil {
		m.mu.Lock()
		known := m.kept[key]
		current := known != nil && known.version == now
		if current {
			m.uses++
			known.used = m.uses
		}
		others := m.reading[path]
		mine := others == nil && !current
		if mine {
			m.reading[path] = make(chan struct{})
		}
		m.mu.Unlock()
		switch {
		case mine:
			err = errPanicked // until read returns
			defer func() { m.done(key, &memory[T]{version: now, value: value, err: err}) }()
			return read()
		case current:
			return known.value, known.err
		}
		select {
		case <-others:
		case <-ctx.Done():
		}
	}
	return value, ctx.Err()
}

// done ends a reader's turn. It keeps neither errors of the system, which may pass, nor errPanicked.
func (m *memo[T]) done(key memoKey, read *memory[T]) {
	m.mu.Lock()
	defer m.mu.Unlock()
	close(m.reading[key.path])
	delete(m.reading, key.path)
	if errors.Is(read.err, errPanicked) || errors.As(read.err, new(syscall.Errno)) {
		return
	}
	m.uses++
	read.used = m.uses
	m.kept[key] = read
	if len(m.kept) > m.limit {
		oldest := key
		for k, kept := range m.kept {
			if kept.used < m.kept[oldest].used {
				oldest = k
			}
		}
		delete(m.kept, oldest)
	}
}

// Package memo remembers what was read from files until they change.
package memo

import (
	"context"
	"errors"
	"os"
	"sync"
	"syscall"
)

// Memo keeps what was read from files, the most recently used up to a limit. It is safe for concurrent use, and reads
// under no lock.
type Memo[T any] struct {
	limit int

	mu   sync.Mutex
	uses int
	kept map[place]*memory[T]
}

type place struct{ path, name string }

type memory[T any] struct {
	used int // Memo.uses at the last use

	turn    chan struct{} // holds an element while somebody uses what follows
	valid   bool
	version version
	value   T
	err     error
}

// version tells a file from what it was before a change.
type version struct{ modified, size int64 }

// versionOf returns the version of a file, zero if there is none.
func versionOf(path string) (v version) {
	if info, err := os.Stat(path); err == nil {
		v = version{info.ModTime().UnixNano(), info.Size()}
	}
	return v
}

// New returns a Memo of at most limit values.
func New[T any](limit int) *Memo[T] {
	return &Memo[T]{limit: limit, kept: map[place]*memory[T]{}}
}

// Get returns the result of read for a file, and keeps it under path and name until the file changes. It has one reader
// at a time, so that many who ask for it take the memory of one. The others wait, until ctx ends at most.
func (m *Memo[T]) Get(ctx context.Context, path, name string, read func() (T, error)) (value T, err error) {
	if ctx.Err() != nil {
		return value, ctx.Err()
	}
	known := m.find(place{path, name})
	select {
	case known.turn <- struct{}{}:
		defer func() { <-known.turn }()
	case <-ctx.Done():
		return value, ctx.Err()
	}
	if now := versionOf(path); !known.valid || known.version != now {
		known.valid = false // even if read panics
		known.value, known.err = read()
		known.version, known.valid = now, !errors.As(known.err, new(syscall.Errno)) // errors of the system may pass
	}
	return known.value, known.err
}

// find returns what is kept at a place, which the least recently used one gives way to if it is new.
func (m *Memo[T]) find(at place) *memory[T] {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.uses++
	found := m.kept[at]
	if found == nil {
		found = &memory[T]{turn: make(chan struct{}, 1)}
		m.kept[at] = found
	}
	found.used = m.uses
	if len(m.kept) > m.limit {
		for other, kept := range m.kept {
			if kept.used < m.kept[at].used {
				at = other
			}
		}
		delete(m.kept, at)
	}
	return found
}

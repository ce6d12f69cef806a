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
	turns Turns // of readers, by path

	mu   sync.Mutex
	uses int
	kept map[place]*memory[T]
}

type place struct{ path, name string }

type memory[T any] struct {
	version Version
	value   T
	err     error
	used    int // Memo.uses at the last use
}

// Version tells a file from what it was before a change.
type Version struct {
	modified int64
	Size     int64 // bytes
}

// VersionOf returns the version of a file or directory, zero if there is none.
func VersionOf(path string) (v Version) {
	if info, err := os.Stat(path); err == nil {
		v = Version{info.ModTime().UnixNano(), info.Size()}
	}
	return v
}

// New returns a Memo of at most limit values.
func New[T any](limit int) *Memo[T] {
	return &Memo[T]{limit: limit, kept: map[place]*memory[T]{}}
}

// Get returns the result of read for a file, and keeps it under path and name until the file changes. A file has one
// reader at a time, so that many who ask for it take the memory of one. The others wait, until ctx ends at most.
func (m *Memo[T]) Get(ctx context.Context, path, name string, read func() (T, error)) (value T, err error) {
	if ctx.Err() != nil {
		return value, ctx.Err()
	}
	at, now := place{path, name}, VersionOf(path)
	known := m.find(at, now)
	if known == nil {
		leave, err := m.turns.Enter(ctx, path)
		if err != nil {
			return value, err
		}
		defer leave()
		known = m.find(at, now) // the reader before may have kept it
	}
	if known != nil {
		return known.value, known.err
	}
	value, err = read()
	if !errors.As(err, new(syscall.Errno)) { // errors of the system may pass
		m.keep(at, &memory[T]{version: now, value: value, err: err})
	}
	return value, err
}

func (m *Memo[T]) find(at place, now Version) *memory[T] {
	m.mu.Lock()
	defer m.mu.Unlock()
	known := m.kept[at]
	if known == nil || known.version != now {
		return nil
	}
	m.uses++
	known.used = m.uses
	return known
}

func (m *Memo[T]) keep(at place, read *memory[T]) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.uses++
	read.used = m.uses
	m.kept[at] = read
	if len(m.kept) <= m.limit {
		return
	}
	for other, kept := range m.kept {
		if kept.used < m.kept[at].used {
			at = other
		}
	}
	delete(m.kept, at)
}

// Turns lets one at a time use what a name stands for. Its zero value is ready, and it is safe for concurrent use.
type Turns struct {
	busy sync.Map // by name: a channel that closes when its user leaves
}

// Enter waits until the name is free. If ctx ends first, it returns ctx.Err, else the caller must call leave.
func (t *Turns) Enter(ctx context.Context, name string) (leave func(), err error) {
	mine := make(chan struct{})
	for ctx.Err() == nil {
		other, busy := t.busy.LoadOrStore(name, mine)
		if !busy {
			return func() {
				t.busy.Delete(name)
				close(mine)
			}, nil
		}
		select {
		case <-other.(chan struct{}):
		case <-ctx.Done():
		}
	}
	return nil, ctx.Err()
}

// Package modelcache keeps models in a folder that all workers of a host share, so that each model comes to the host once. A model
// is named by the SHA-256 digest of its bytes, and compared with it whenever it is read: what is damaged is fetched anew.
//
// The cache is a help, never a need: where the folder cannot be read or written, models are fetched all the same.
package modelcache

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// DefaultLimit is how many bytes of models a cache keeps, unless told otherwise.
const DefaultLimit = 2 << 30

// Cache is a folder of models. It may be used by several goroutines and processes at once. A nil Cache keeps nothing.
type Cache struct {
	dir    string
	limit  int64
	report func(error)
}

const (
	modelEnd, partEnd, lockEnd = ".model", ".part", ".lock" // after the digest, in the names of files

	// lockInterval is how often a process that waits for another's download looks whether that has ended.
	lockInterval = 200 * time.Millisecond
	// abandoned is the age at which a download that nobody goes on with is removed.
	abandoned = 48 * time.Hour
)

// ErrDamaged is wrapped by the error of Load where what was fetched is not what the digest says.
var ErrDamaged = errors.New("its bytes do not match their digest")

// Open makes the folder if need be. At most limit bytes of models are kept, and always the newest. Report is told of what the cache
// cannot do, by several goroutines at once.
func Open(dir string, limit int64, report func(error)) (*Cache, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("cannot make the cache of models: %w", err)
	}
	return &Cache{dir, limit, report}, nil
}

// Load returns the bytes of a model, size of them, with the SHA-256 digest in hexadecimal. If the cache has not got it, fetch is called
// with what an earlier fetch that was interrupted has left, to add the rest. One process does so at a time, while others wait for
// its result; arrived is told how far that has come, by the goroutine of the caller.
func (c *Cache) Load(ctx context.Context, digest string, size int, arrived func(bytes int), fetch func(*Part) error) ([]byte, error) {
	if c == nil {
		return newPart(arrived).load(digest, fetch)
	}
	if sum, err := hex.DecodeString(digest); err != nil || len(sum) != sha256.Size {
		return nil, fmt.Errorf("digest %q: it is no SHA-256 in hexadecimal", digest)
	}
	if model := c.read(digest); model != nil {
		return model, nil
	}
	lock, err := c.lock(ctx, digest, arrived)
	if ctx.Err() != nil {
		if err == nil {
			lock.Close()
		}
		return nil, context.Cause(ctx)
	}
	if err != nil {
		c.report(fmt.Errorf("cannot use the cache of models: %w: fetching without it", err))
		return newPart(arrived).load(digest, fetch)
	}
	defer lock.Close()
	if model := c.read(digest); model != nil { // somebody else has fetched it
		return model, nil
	}
	part := newPart(arrived)
	part.open(c.path(digest, partEnd), size)
	model, err := part.load(digest, fetch)
	if saved := part.close(); saved != nil {
		c.report(fmt.Errorf("cannot keep a model in the cache: %w", saved))
		os.Remove(c.path(digest, partEnd))
		return model, err
	}
	switch {
	case errors.Is(err, ErrDamaged):
		os.Remove(c.path(digest, partEnd))
	case err == nil:
		c.keep(digest)
	}
	return model, err
}

// read returns a model that is in the cache, nil if it is not. A damaged one is removed.
func (c *Cache) read(digest string) []byte {
	path := c.path(digest, modelEnd)
	model, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	if !matches(model, digest) {
		c.report(fmt.Errorf("%s is damaged: it is fetched anew", path))
		os.Remove(path)
		return nil
	}
	now := time.Now()
	os.Chtimes(path, now, now) // it is in use: others go first
	return model
}

// lock waits until no other process fetches the model.
func (c *Cache) lock(ctx context.Context, digest string, arrived func(bytes int)) (*flock.Flock, error) {
	lock := flock.New(c.path(digest, lockEnd))
	for {
		locked, err := lock.TryLock()
		if locked {
			return lock, nil
		}
		if err != nil {
			lock.Close()
			return nil, err
		}
		if info, err := os.Stat(c.path(digest, partEnd)); err == nil {
			arrived(int(info.Size()))
		}
		select {
		case <-ctx.Done():
			lock.Close()
			return nil, ctx.Err()
		case <-time.After(lockInterval):
		}
	}
}

// keep makes the download of a model an entry, and removes those that were not used for the longest time.
func (c *Cache) keep(digest string) {
	if err := os.Rename(c.path(digest, partEnd), c.path(digest, modelEnd)); err != nil {
		c.report(fmt.Errorf("cannot keep a model in the cache: %w", err))
		return
	}
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		c.report(fmt.Errorf("cannot tidy the cache of models: %w", err))
		return
	}
	var files []os.FileInfo // of models, and of downloads that nobody goes on with
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			continue // removed meanwhile
		}
		switch end := filepath.Ext(info.Name()); {
		case end == modelEnd:
			files = append(files, info)
		case end == partEnd && time.Since(info.ModTime()) > abandoned:
			c.remove(info.Name())
		}
	}
	slices.SortFunc(files, func(a, b os.FileInfo) int {
		return cmp.Or(b.ModTime().Compare(a.ModTime()), cmp.Compare(a.Name(), b.Name()))
	})
	total := int64(0)
	for i, info := range files {
		if total += info.Size(); i > 0 && total > c.limit && info.Name() != digest+modelEnd {
			c.remove(info.Name())
		}
	}
}

// remove removes a file and the lock that belongs to it. A process that waits for that lock at this moment does no harm: it may fetch
// the model for a second time.
func (c *Cache) remove(name string) {
	os.Remove(filepath.Join(c.dir, name))
	os.Remove(c.path(strings.TrimSuffix(name, filepath.Ext(name)), lockEnd))
}

func (c *Cache) path(digest, end string) string { return filepath.Join(c.dir, digest+end) }

// matches reports whether bytes have a digest.
func matches(b []byte, digest string) bool {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]) == digest
}

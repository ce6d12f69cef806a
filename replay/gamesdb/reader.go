package gamesdb

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"syscall"

	"github.com/gofrs/flock"
	sqlite3 "modernc.org/sqlite/lib"
)

// Reader reads a run's database, whether or not another process trains the run. It is safe for concurrent use.
type Reader struct {
	*DB
	lock *flock.Flock // held shared for a database that must not change, else nil
}

// OpenReader opens the database in a run's directory for reading. lockFile is the run's lock. Without permission to
// write in the directory, a Reader cannot share the writer's memory: it opens the database with mode=ro while the run
// trains, else as immutable under a shared lock.
func OpenReader(ctx context.Context, dir, lockFile string) (r *Reader, err error) {
	r = &Reader{DB: &DB{path: filepath.Join(dir, FileName), report: func(error) {}}}
	if err := checkFile(r.path); err != nil {
		return nil, fmt.Errorf("%s has no games: %w", dir, err)
	}
	query := url.Values{"mode": {"rw"}, "_pragma": {"busy_timeout(5000)", "query_only(1)"}}
	if tryWriting(dir, 0) != nil {
		query.Set("mode", "ro")
		if r.lock, err = shareLock(lockFile); err != nil {
			return nil, err
		}
		if r.lock != nil && !unfinished(r.path) {
			query.Set("immutable", "1")
		}
	}
	r.connect(query)
	fresh, err := r.checkSchema(ctx)
	if err == nil && fresh {
		err = errors.New("it has no games yet")
	}
	if err != nil {
		r.Close()
		return nil, r.explainReader(err)
	}
	return r, nil
}

// shareLock locks the file for reading. It returns nil if another process trains the run.
func shareLock(file string) (*flock.Flock, error) {
	lock := flock.New(file, flock.SetFlag(os.O_RDONLY|syscall.O_NONBLOCK))
	shared, err := lock.TryRLock()
	if err != nil || !shared {
		return nil, err
	}
	return lock, nil
}

// unfinished reports whether a WAL holds changes that are not in the database yet, as after a kill.
func unfinished(path string) bool {
	info, err := os.Stat(path + "-wal")
	return err == nil && info.Size() > 0
}

// busy reports whether another process holds a lock.
func busy(err error) bool {
	c := code(err)
	return c == sqlite3.SQLITE_BUSY || c == sqlite3.SQLITE_LOCKED
}

func (r *Reader) explainReader(err error) error {
	dir := filepath.Dir(r.path)
	switch {
	case remote(dir) && busy(err):
		return fmt.Errorf("%s is on a network file system, which other processes cannot read while the run trains: wait for its end: %w", r.path, err)
	case r.lock != nil && unfinished(r.path):
		return fmt.Errorf("the run in %s was killed, and its newest games are in %s-wal: read it once with permission to write there: %w", dir, r.path, err)
	}
	return r.explain(err)
}

// Close releases the database and the lock.
func (r *Reader) Close() error {
	err := r.DB.Close()
	if r.lock != nil {
		err = errors.Join(err, r.lock.Unlock())
	}
	return err
}

package gamesdb

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	sqlite3 "modernc.org/sqlite/lib"

	"tengen/internal/files"
	"tengen/internal/printable"
)

// Reader reads a run's database, whether or not another process trains the run. It is safe for concurrent use.
type Reader struct {
	*DB
	unlock func() error // ends the lock of a database that must not change; nil without one
}

// OpenReader opens the database in a run's directory for reading. lockFile is the run's lock. Without permission to
// write in the directory, it does as OpenUntouched.
func OpenReader(ctx context.Context, dir, lockFile string) (*Reader, error) {
	if tryWriting(dir, 0) != nil {
		return OpenUntouched(ctx, dir, lockFile)
	}
	return open(ctx, dir, url.Values{"mode": {"rw"}}, nil)
}

// OpenUntouched is like OpenReader, but changes and creates no file. Without write access, a Reader cannot share the
// writer's memory. So it holds a shared lock, which keeps other processes from training the run, unless one does already.
func OpenUntouched(ctx context.Context, dir, lockFile string) (*Reader, error) {
	unlock, free, err := files.Share(lockFile)
	query := url.Values{"mode": {"ro"}}
	switch {
	case err != nil:
		return nil, err
	case !free:
		unlock = nil
	case unfinished(filepath.Join(dir, FileName)):
		query.Set("readonly_shm", "1") // SQLite then keeps its index of the WAL in memory
	default:
		query.Set("immutable", "1")
	}
	return open(ctx, dir, query, unlock)
}

func open(ctx context.Context, dir string, query url.Values, unlock func() error) (*Reader, error) {
	r := &Reader{&DB{path: filepath.Join(dir, FileName), report: func(error) {}}, unlock}
	query["_pragma"] = []string{"busy_timeout(5000)", "query_only(1)"}
	r.connect(query)
	if err := r.check(ctx); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

func (r *Reader) check(ctx context.Context) error {
	_, err := os.Lstat(r.path)
	if err == nil {
		err = checkFiles(r.path)
	}
	if err != nil {
		return fmt.Errorf("%s has no games: %w", filepath.Dir(r.path), err)
	}
	fresh, err := r.checkSchema(ctx)
	if err == nil && fresh {
		err = errors.New("it has no games yet")
	}
	return r.explainReader(err)
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
	case r.unlock != nil && unfinished(r.path) && code(err) == sqlite3.SQLITE_CANTOPEN:
		return fmt.Errorf("the run in %s was killed, and its newest games are in %s-wal: `tengen replay stats %s`, with permission to write there, "+
			"brings them into the database: %w", dir, r.path, printable.Word(dir), err)
	}
	return r.explain(err)
}

// Close releases the database and the lock.
func (r *Reader) Close() error {
	err := r.DB.Close()
	if r.unlock != nil {
		err = errors.Join(err, r.unlock())
	}
	return err
}

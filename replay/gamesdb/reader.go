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

// OpenReader opens the database in a run's directory for reading, whether or not another process trains the run.
// lockFile is the run's lock. Without permission to write in the directory, it does as OpenUntouched.
func OpenReader(ctx context.Context, dir, lockFile string) (*DB, error) {
	if tryWriting(dir, 0) != nil {
		return OpenUntouched(ctx, dir, lockFile)
	}
	return open(ctx, dir, url.Values{"mode": {"rw"}}, nil)
}

// OpenUntouched is like OpenReader, but changes and creates no file. Without write access, a reader cannot share the
// writer's memory. So it holds a shared lock, which keeps other processes from training the run, unless one does
// already.
func OpenUntouched(ctx context.Context, dir, lockFile string) (*DB, error) {
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

func open(ctx context.Context, dir string, query url.Values, unlock func() error) (*DB, error) {
	d := &DB{path: filepath.Join(dir, FileName), report: func(error) {}, unlock: unlock}
	query["_pragma"] = []string{"busy_timeout(5000)", "query_only(1)"}
	d.connect(query)
	if err := d.checkReadable(ctx); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

func (d *DB) checkReadable(ctx context.Context) error {
	_, err := os.Lstat(d.path)
	if err == nil {
		err = checkFiles(d.path)
	}
	if err != nil {
		return fmt.Errorf("%s has no games: %w", filepath.Dir(d.path), err)
	}
	fresh, err := d.checkSchema(ctx)
	if err == nil && fresh {
		err = errors.New("it has no games yet")
	}
	return d.explainReader(err)
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

func (d *DB) explainReader(err error) error {
	dir := filepath.Dir(d.path)
	switch {
	case remote(dir) && busy(err):
		return fmt.Errorf("%s is on a network file system, which other processes cannot read while the run trains: wait for its end: %w", d.path, err)
	case d.unlock != nil && unfinished(d.path) && code(err) == sqlite3.SQLITE_CANTOPEN:
		return fmt.Errorf("the run in %s was killed, and its newest games are in %s-wal: `tengen replay stats %s`, with permission to write there, "+
			"brings them into the database: %w", dir, d.path, printable.Word(dir), err)
	}
	return d.explain(err)
}

// Package gamesdb stores a run's games in an SQLite database, one row for each game (schema.sql has the table and its
// views).
//
// The training process writes it, in WAL mode with synchronous=FULL: stored games survive a kill and a power failure.
// On a local disk, other processes may read it meanwhile, with this package or any program that reads SQLite.
//
// Inside the training process, only SQLite may open the file. When a process closes any descriptor of a file, it loses
// all its POSIX locks on that file. An os.Open and Close would thus unlock the database. Another process
// that closes the database would then delete the WAL while it is in use.
package gamesdb

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"tengen/internal/atomicfile"
	"tengen/internal/files"
	"tengen/internal/printable"
	"tengen/replay"
)

// FileName is the name of the database in a run directory.
const FileName = "games.db"

//go:embed schema.sql
var schema string

const (
	applicationID = 0x74656e67 // "teng", for file(1)
	version       = 2          // of the schema
	walLimit      = 16 << 20   // bytes; SQLite cuts the WAL to this size after copying it into the database
)

// DB is an open database. It is safe for concurrent use.
type DB struct {
	path   string
	sql    *sql.DB
	report func(error)
	unlock func() error // ends a reader's lock, see OpenUntouched; nil without one
}

// Open opens the database in a run's directory for writing, and creates it if it is absent. The caller must hold the
// run's lock. report receives problems that need attention, such as another program's lock.
func Open(ctx context.Context, dir string, report func(error)) (*DB, error) {
	d := &DB{path: filepath.Join(dir, FileName), report: report}
	if err := checkFiles(d.path); err != nil {
		return nil, err
	}
	pragmas := []string{
		"busy_timeout(1000)", "journal_mode(WAL)", "synchronous(FULL)", fmt.Sprintf("journal_size_limit(%d)", walLimit),
	}
	if runtime.GOOS == "darwin" { // fsync leaves the bytes in the disk's cache on macOS
		pragmas = append(pragmas, "fullfsync(1)", "checkpoint_fullfsync(1)")
	}
	if remote(dir) { // without EXCLUSIVE, WAL needs shared memory, which is only local
		pragmas = append([]string{"locking_mode(EXCLUSIVE)"}, pragmas...)
	}
	d.connect(url.Values{"_pragma": pragmas, "_txlock": {"immediate"}})
	if err := d.retryBusy(ctx, func() error { return d.prepare(ctx) }); err != nil {
		d.sql.Close()
		return nil, d.explain(err)
	}
	return d, nil
}

// connect opens a pool of one connection, so that this process's statements never wait for each other's locks.
func (d *DB) connect(query url.Values) {
	path := d.path
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	d.sql, _ = sql.Open("sqlite", uri(filepath.ToSlash(path), query)) // fails only for an unknown driver
	d.sql.SetMaxOpenConns(1)
}

// uri returns what SQLite calls an absolute path with slashes, on Windows also C:/games.db and //server/share/games.db.
// SQLite reads a path itself as a URI, which ends at a "?".
func uri(path string, query url.Values) string {
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	u := url.URL{Scheme: "file", Path: path, RawQuery: query.Encode()}
	return u.String()
}

// prepare checks the schema, and creates it in a new database.
func (d *DB) prepare(ctx context.Context) error {
	fresh, err := d.checkSchema(ctx)
	if err != nil || !fresh {
		return err
	}
	tx, err := d.sql.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	_, err = tx.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d; %s", applicationID, version, schema))
	if err != nil {
		return err
	}
	return tx.Commit()
}

// checkSchema returns an error for another program's database or another version of the schema. fresh means that the
// database is empty.
func (d *DB) checkSchema(ctx context.Context) (fresh bool, err error) {
	var application, user, tables int64
	err = d.sql.QueryRowContext(ctx, "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema)"+
		" FROM pragma_application_id, pragma_user_version").Scan(&application, &user, &tables)
	switch {
	case err != nil:
		return false, err
	case application == 0 && user == 0 && tables == 0:
		return true, nil
	case application != applicationID:
		return false, errors.New("it is not a tengen database: move it away")
	case user != version:
		return false, fmt.Errorf("it has version %d, but this program needs %d: %w", user, version, replay.ErrVersion)
	}
	return false, nil
}

// checkFiles checks the database, and the files that SQLite may find beside it, without opening them.
func checkFiles(path string) error {
	for _, suffix := range []string{"", "-shm", "-wal", "-journal"} {
		if err := files.Check(path + suffix); err != nil {
			return err
		}
	}
	return nil
}

// Close releases the database, and a reader's lock.
func (d *DB) Close() error {
	err := d.explain(d.sql.Close())
	if d.unlock != nil {
		err = errors.Join(err, d.unlock())
	}
	return err
}

// explain adds the path to an error and, for common ones, the cause and a remedy.
func (d *DB) explain(err error) error {
	if err == nil {
		return nil
	}
	dir := filepath.Dir(d.path)
	switch code(err) {
	case sqlite3.SQLITE_FULL:
		return fmt.Errorf("no space left for %s: free some, then continue the run with the same command: %w", dir, err)
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("%s is damaged: restore it from a copy, or save the readable games with `tengen replay repair %s`: %w", d.path, printable.Word(dir), err)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		return fmt.Errorf("cannot open or write %s: check the permissions of the directory and its files: %w", d.path, err)
	case sqlite3.SQLITE_IOERR:
		if cause := tryWriting(dir, 1<<16); cause != nil {
			return fmt.Errorf("cannot write %s: %w: mend that, then continue the run with the same command: %w", d.path, cause, err)
		}
	}
	return fmt.Errorf("%s: %w", d.path, err)
}

// tryWriting writes a file of n bytes in dir and removes it. Its error names what SQLite calls an I/O error, most
// often a full disk.
func tryWriting(dir string, n int) error {
	f, err := os.CreateTemp(dir, atomicfile.TempPattern)
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, n))
	err = errors.Join(err, f.Close())
	return errors.Join(err, os.Remove(f.Name()))
}

// code returns an error's primary SQLite code, or 0 if it has none.
func code(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

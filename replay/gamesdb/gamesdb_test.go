package gamesdb

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tengen/internal/errtest"
)

var noError = errtest.NoError

func openTest(t testing.TB, dir string) *DB {
	t.Helper()
	d, err := Open(t.Context(), dir, func(err error) { t.Error(err) })
	noError(t, err)
	t.Cleanup(func() { d.Close() })
	return d
}

// shell is another program that reads and writes the database, as sqlite3 does.
func shell(t *testing.T, dir string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, FileName))
	noError(t, err)
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	return db
}

func mustExec(t *testing.T, db *sql.DB, query string, args ...any) {
	t.Helper()
	if _, err := db.Exec(query, args...); err != nil {
		t.Fatal(err)
	}
}

// A URI has no host, so SQLite opens files on Windows and on its servers too.
func TestURI(t *testing.T) {
	for path, want := range map[string]string{
		"/runs/a?b/games.db": "file:///runs/a%3Fb/games.db?mode=ro", "C:/my run/games.db": "file:///C:/my%20run/games.db?mode=ro",
		"//server/share/games.db": "file:////server/share/games.db?mode=ro",
	} {
		if got := uri(path, url.Values{"mode": {"ro"}}); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

// Other programs find games, models and workers in tables and views, also while the database is open.
func TestSQL(t *testing.T) {
	dir := t.TempDir()
	d := openTest(t, dir)
	fill(t, d, "gpu-1", 0, 250) // models 0 to 2
	db := shell(t, dir)
	for query, want := range map[string]string{
		"PRAGMA journal_mode":   "wal",
		"PRAGMA application_id": "1952804455",
		"PRAGMA user_version":   "2",
		"SELECT group_concat(result || count, ' ') FROM (SELECT result, count(*) AS count FROM games GROUP BY 1)": "draw83 first83 second84",
		"SELECT group_concat(model || ':' || games || ':' || oldest || ':' || newest, ' ') FROM models":           "0:100:0:99 1:100:100:199 2:50:200:249",
		"SELECT worker || games FROM workers": "gpu-1250",
		"SELECT plies || ' ' || model || ' ' || (time BETWEEN strftime('%Y-%m-%dT%H:%M', 'now', '-1 hour') AND '3') FROM games LIMIT 1": "5 0 1",
	} {
		var got string
		if err := db.QueryRow(query).Scan(&got); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", query, got, err, want)
		}
	}
}

// A database of another program or version, or what is no file, is an error with its name and left as it is.
func TestOpenRejects(t *testing.T) {
	for want, spoil := range map[string]func(t *testing.T, path string){
		"it is not a tengen database": func(t *testing.T, path string) {
			mustExec(t, shell(t, filepath.Dir(path)), "CREATE TABLE games (n)")
		},
		"it has version 9, but this program needs 2": func(t *testing.T, path string) {
			openTest(t, filepath.Dir(path)).Close()
			mustExec(t, shell(t, filepath.Dir(path)), "PRAGMA user_version = 9")
		},
		"is damaged: restore it from a copy": func(t *testing.T, path string) {
			noError(t, os.WriteFile(path, []byte(strings.Repeat("no database", 1000)), 0o644))
		},
		"is a folder": func(t *testing.T, path string) {
			noError(t, os.Mkdir(path, 0o755))
		},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, FileName)
		spoil(t, path)
		_, err := Open(t.Context(), dir, func(error) {})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("error %v, want one that says %q", err, want)
		}
	}
	if _, err := Open(t.Context(), filepath.Join(t.TempDir(), "absent"), func(error) {}); err == nil {
		t.Error("a database was made in a directory that is absent")
	}
}

// A database whose creation fails is left empty and unlocked.
func TestCreationFails(t *testing.T) {
	defer func(good string) { schema = good }(schema)
	good, dir := schema, t.TempDir()
	schema += "; CREATE TABLE games (n)" // a second one
	if _, err := Open(t.Context(), dir, func(err error) { t.Error(err) }); err == nil {
		t.Error("a database was created with a false schema")
	}
	schema = good
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	d, err := Open(ctx, dir, func(err error) {
		t.Error(err) // it is locked
		cancel()
	})
	noError(t, err)
	defer d.Close()
	fill(t, d, "w", 0, 1)
}

// While another program holds a lock, a writer waits, says so once, and stores its games afterwards.
func TestWaitsForAnotherProgram(t *testing.T) {
	dir := t.TempDir()
	var reports []error
	db := shell(t, dir)
	d, err := Open(t.Context(), dir, func(err error) {
		reports = append(reports, err)
		mustExec(t, db, "ROLLBACK")
	})
	noError(t, err)
	defer d.Close()
	mustExec(t, db, "BEGIN IMMEDIATE")
	fill(t, d, "w", 0, 2)
	if len(reports) != 1 || !strings.Contains(reports[0].Error(), "another program to unlock "+d.path) {
		t.Errorf("reported %v", reports)
	}
	mustExec(t, db, "BEGIN IMMEDIATE")
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := d.Put(ctx, by("w", testGame(2, 5))...); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want the context's", err)
	}
}

// A reader in a transaction that does not end stops no writer. The WAL that grows behind it shrinks afterwards.
func TestReaderThatStays(t *testing.T) {
	dir := t.TempDir()
	d := openTest(t, dir)
	fill(t, d, "w", 0, 1)
	db := shell(t, dir)
	mustExec(t, db, "BEGIN")
	var games int
	if err := db.QueryRow("SELECT count(*) FROM games").Scan(&games); err != nil || games != 1 {
		t.Fatal(games, err)
	}
	large := testGame(1, 40_000)
	for range 80 {
		noError(t, d.Put(t.Context(), by("w", large)...))
	}
	mustExec(t, db, "COMMIT")
	for range 2 {
		fill(t, d, "w", 2, 1)
		mustExec(t, d.sql, "PRAGMA wal_checkpoint(RESTART)")
	}
	if info, err := os.Stat(d.path + "-wal"); err != nil || info.Size() > walLimit {
		t.Errorf("the WAL has %d bytes, %v", info.Size(), err)
	}
}

// A disk without room is named, nothing is lost, and games are stored again when there is room.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	d := openTest(t, dir)
	fill(t, d, "w", 0, 5)
	mustExec(t, d.sql, "PRAGMA max_page_count = 8") // what SQLite may take is what a disk may hold
	var err error
	n := uint64(5)
	for ; err == nil && n < 10_000; n++ {
		err = d.Put(t.Context(), by("w", testGame(n, 50))...)
	}
	if err == nil || !strings.Contains(err.Error(), "no space left for "+dir) {
		t.Fatalf("error %v", err)
	}
	if _, end, err := d.Span(t.Context()); err != nil || end != n-1 {
		t.Errorf("the log ends at %d, %v; want %d", end, err, n-1)
	}
	mustExec(t, d.sql, "PRAGMA max_page_count = 1000000")
	fill(t, d, "w", n, 5)
}

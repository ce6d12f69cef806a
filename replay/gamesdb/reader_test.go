package gamesdb

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gofrs/flock"
)

// roleVariable tells a process of these tests that it is a child, and in which directory.
const roleVariable = "CHILD_READS"

var childContext = context.Background()

func TestMain(m *testing.M) {
	if dir := os.Getenv(roleVariable); dir != "" {
		if err := readAsChild(dir); err != nil {
			fmt.Println(err)
		}
		return
	}
	os.Exit(m.Run())
}

// readAsChild opens the database in another process, closes it, and prints how many games it holds.
func readAsChild(dir string) error {
	r, err := OpenReader(childContext, dir, filepath.Join(dir, "lock"))
	if err != nil {
		return err
	}
	_, end, err := r.Span(childContext)
	fmt.Println(end, err, r.Close())
	return nil
}

// elsewhere reads the database in another process.
func elsewhere(t *testing.T, dir string) string {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), roleVariable+"="+dir)
	said, err := child.CombinedOutput()
	noError(t, err)
	return strings.TrimSpace(string(said))
}

// The process that writes holds its locks, whatever else it does with the database: a reader elsewhere that comes and goes would delete
// the WAL otherwise, with all games that are only there.
func TestLocksStay(t *testing.T) {
	dir := t.TempDir()
	d := openTest(t, dir)
	fill(t, d, "w", 0, 20)
	use := func() {
		r, err := OpenReader(t.Context(), dir, filepath.Join(dir, "lock"))
		noError(t, err)
		entries(t, r, 0, endless)
		noError(t, r.Close())
	}
	use()
	if got := elsewhere(t, dir); got != "20 <nil> <nil>" {
		t.Errorf("another process reads %s", got)
	}
	if _, err := os.Stat(d.path + "-wal"); err != nil {
		t.Fatalf("the reader took the WAL away: %v", err)
	}
	fill(t, d, "w", 20, 20)
	if got := elsewhere(t, dir); got != "40 <nil> <nil>" {
		t.Errorf("another process reads %s, want 40 games", got)
	}
}

// What cannot be read is named.
func TestOpenReaderRejects(t *testing.T) {
	dir := t.TempDir()
	_, err := OpenReader(t.Context(), dir, "")
	if err == nil || !strings.HasPrefix(err.Error(), dir+" has no games: ") {
		t.Errorf("no database: %v", err)
	}
	noError(t, os.WriteFile(filepath.Join(dir, FileName), nil, 0o644))
	_, err = OpenReader(t.Context(), dir, "")
	if err == nil || !strings.Contains(err.Error(), "it has no games yet") {
		t.Errorf("an empty file: %v", err)
	}
}

// Who may not write reads a run that rests without changing anything, and keeps others from training it meanwhile; one that is trained is
// read as it is.
func TestReaderWithoutPermission(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may write everywhere")
	}
	dir := t.TempDir()
	d := openTest(t, dir)
	fill(t, d, "w", 0, 3)
	file := filepath.Join(dir, "lock")
	lock := flock.New(file)
	noError(t, lock.Lock())
	permit := func(mode os.FileMode) {
		t.Helper()
		noError(t, os.Chmod(dir, mode))
	}
	permit(0o555)
	defer permit(0o755)
	count := func() int {
		t.Helper()
		r, err := OpenReader(t.Context(), dir, file)
		noError(t, err)
		defer r.Close()
		return len(entries(t, r, 0, endless))
	}
	if n := count(); n != 3 {
		t.Errorf("%d games of a run that is trained, want 3", n)
	}
	permit(0o755)
	d.Close()
	lock.Unlock()
	permit(0o555)
	if n := count(); n != 3 {
		t.Errorf("%d games of a run that rests, want 3", n)
	}
}

package gamesdb

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tengen/internal/fulltest"
	"tengen/replay"
)

// many is how many games the databases of these tests hold: pages with leaves, and inner ones.
const many = 1500

// filled is the content of a database that is closed.
func filled(t *testing.T) []byte {
	t.Helper()
	dir := t.TempDir()
	d := openTest(t, dir)
	fill(t, d, "w", 0, many)
	noError(t, d.Close())
	content, err := os.ReadFile(d.path)
	noError(t, err)
	return content
}

// with is the directory of a database with this content.
func with(t *testing.T, content []byte) string {
	t.Helper()
	dir := t.TempDir()
	noError(t, os.WriteFile(filepath.Join(dir, FileName), content, 0o644))
	return dir
}

// readable are the games that can be read, which must be those that were stored, and what is wrong with the others.
func readable(t *testing.T, d *DB) (games map[uint64]bool, damage []error) {
	t.Helper()
	games = map[uint64]bool{}
	err := d.Read(t.Context(), 0, many, func(e replay.Entry) error {
		if e.Err != nil {
			if !errors.Is(e.Err, replay.ErrDamaged) || !strings.Contains(e.Err.Error(), fmt.Sprint(e.Number)) {
				t.Errorf("entry %+v", e)
			}
			damage = append(damage, e.Err)
			return nil
		}
		if games[e.Number] || !reflect.DeepEqual(e.Game, testGame(e.Number, 5)) {
			t.Errorf("game %d comes twice or is another", e.Number)
		}
		games[e.Number] = true
		return nil
	})
	noError(t, err)
	return games, damage
}

// A flipped bit costs its game or the games of its page, and never makes another game.
func TestFlippedBits(t *testing.T) {
	content := filled(t)
	rng := rand.New(rand.NewPCG(3, 3))
	noticed := 0
	for range fulltest.Pick(15, 400) {
		spoiled := slices.Clone(content)
		at := 4096 + rng.IntN(len(content)-4096) // the first page says what the database is
		spoiled[at] ^= 1 << rng.IntN(8)
		d, err := Open(t.Context(), with(t, spoiled), func(err error) { t.Error(err) })
		if err != nil {
			t.Errorf("byte %d: %v", at, err)
			continue
		}
		games, damage := readable(t, d)
		if lost := many - len(games); lost > 0 {
			noticed++
			if len(damage) == 0 {
				t.Errorf("byte %d: %d games are lost, and nothing is said of it", at, lost)
			}
		}
		d.Close()
	}
	if noticed == 0 {
		t.Error("no flipped bit changed anything")
	}
}

// Pages of zeros cost the games on them, and repair saves all others.
func TestRepair(t *testing.T) {
	content := filled(t)
	for page := 2; page < len(content)/4096; page += fulltest.Pick(41, 3) {
		spoiled := slices.Clone(content)
		clear(spoiled[page*4096 : (page+1)*4096])
		dir := with(t, spoiled)
		d := openTest(t, dir)
		want, damage := readable(t, d)
		d.Close()
		if len(want) == many {
			continue // a page without games
		}
		if len(damage) != 1 {
			t.Errorf("page %d: damage %v", page, damage)
		}
		var reports []error
		kept, err := Repair(t.Context(), dir, func(err error) { reports = append(reports, err) })
		if err != nil || kept != len(want) || len(reports) == 0 || len(reports) > 2 { // the damage, and a gap
			t.Fatalf("page %d: %d games saved, %v; want %d; reported %v", page, kept, err, len(want), reports)
		}
		repaired := openTest(t, dir)
		if got, damage := readable(t, repaired); !reflect.DeepEqual(got, want) || len(damage) > 0 {
			t.Errorf("page %d: %d games after the repair, want %d; damage %v", page, len(got), len(want), damage)
		}
		fill(t, repaired, "w", 0, many) // there is room for what was lost
		repaired.Close()
		old, err := os.ReadFile(filepath.Join(dir, FileName+".damaged"))
		if err != nil || len(old) != len(spoiled) {
			t.Errorf("page %d: the old database has %d bytes, %v", page, len(old), err)
		}
	}
}

// A repair that fails leaves the database in place, and none replaces what an earlier one has kept.
func TestRepairKeepsTheOld(t *testing.T) {
	dir := with(t, []byte("damaged"))
	path := filepath.Join(dir, FileName)
	_, err := Repair(t.Context(), dir, func(error) { noError(t, os.MkdirAll(filepath.Join(path+"-shm", "full"), 0o755)) })
	if err == nil {
		t.Error("repair removed a folder with the name of the WAL's index")
	}
	noError(t, os.RemoveAll(path+"-shm"))
	if content, err := os.ReadFile(path); err != nil || string(content) != "damaged" {
		t.Errorf("after a repair that failed, the database is %q, %v", content, err)
	}
	_, err = Repair(t.Context(), dir, func(error) {})
	noError(t, err)
	if _, err = Repair(t.Context(), dir, func(error) {}); err == nil || !strings.Contains(err.Error(), "is there from an earlier repair: move it away") {
		t.Error(err)
	}
}

// A column that says something else than the record is damage, even if SQLite finds nothing wrong.
func TestColumnsAgree(t *testing.T) {
	for _, change := range []string{"model = 7", "result = 'nobody'", "plies = 6", "number = 4000", "time = 'noon'", "record = x'00'", "record = substr(record, 2)"} {
		dir := t.TempDir()
		d := openTest(t, dir)
		fill(t, d, "w", 0, 3)
		mustExec(t, shell(t, dir), "UPDATE games SET "+change+" WHERE number = 1")
		var bad []replay.Entry
		err := d.Read(t.Context(), 0, 5000, func(e replay.Entry) error {
			if e.Err != nil {
				bad = append(bad, e)
			}
			return nil
		})
		if err != nil || len(bad) != 1 || bad[0].Game != nil || !errors.Is(bad[0].Err, replay.ErrDamaged) {
			t.Errorf("%s: %+v, %v", change, bad, err)
		}
	}
}

// Whatever bytes a database has, it is refused or read, and each game read has the number of its entry.
func FuzzOpen(f *testing.F) {
	small := func(change string) []byte {
		dir := f.TempDir()
		d := openTest(f, dir)
		fill(f, d, "w", 0, 6)
		if _, err := d.sql.Exec(change); err != nil {
			f.Fatal(err)
		}
		noError(f, d.Close())
		content, err := os.ReadFile(d.path)
		noError(f, err)
		return content
	}
	f.Add(small("DELETE FROM games WHERE number = 3"))
	f.Add(small("CREATE INDEX x ON games (worker)"))
	f.Add(small("UPDATE games SET number = -9223372036854775808 WHERE number = 1"))
	f.Fuzz(func(t *testing.T, content []byte) {
		r, err := OpenReader(t.Context(), with(t, content), "")
		if err != nil {
			return
		}
		defer r.Close()
		last := int64(-1)
		err = r.Read(t.Context(), 0, endless, func(e replay.Entry) error {
			if int64(e.Number) <= last || e.Err == nil && e.Game.Number != e.Number {
				t.Errorf("entry %+v after %d", e, last)
			}
			last = int64(e.Number)
			return nil
		})
		first, end, unspanned := r.Span(t.Context())
		if err == nil && unspanned == nil && (first > end || last >= 0 && uint64(last) >= end) {
			t.Errorf("games %d to %d, but the last is %d", first, end, last)
		}
	})
}

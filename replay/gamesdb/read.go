package gamesdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"tengen/internal/printable"
	"tengen/replay"
)

// page is the number of rows per query: a reader holds no transaction while the caller works on a game.
const page = 256

// Read calls yield for every game with a number in [first, end), ascending, and returns the error of ctx or yield. A
// damaged page yields one entry, with an error for all of its games. At a record of another version, which is not
// damaged, Read stops with an error that wraps replay.ErrVersion. The caller owns the games, and may change the
// database meanwhile.
func (d *DB) Read(ctx context.Context, first, end uint64, yield func(replay.Entry) error) error {
	for first < end {
		rows, err := d.rows(ctx, first, end, page)
		for _, r := range rows {
			e := r.entry()
			if errors.Is(e.Err, replay.ErrVersion) {
				return e.Err
			}
			if err := yield(e); err != nil {
				return err
			}
			first = e.Number + 1
		}
		switch {
		case damaged(err):
			next, err := d.skip(ctx, first, end)
			if err != nil {
				return err
			}
			if err := yield(unreadable(first, next, end)); err != nil {
				return err
			}
			first = next
		case err != nil:
			return d.explain(err)
		case len(rows) < page:
			return ctx.Err()
		}
	}
	return ctx.Err()
}

// unreadable returns the entry for a damaged page, which may have held any games in [first, next). next is end if no
// later game is readable.
func unreadable(first, next, end uint64) replay.Entry {
	which := fmt.Sprintf("games %d to %d", first, next-1)
	switch next {
	case first + 1:
		which = fmt.Sprintf("game %d", first)
	case end:
		which = fmt.Sprintf("games from %d on", first)
	}
	return replay.Entry{Number: first, Err: fmt.Errorf("%s cannot be read, a page of the database is %w", which, replay.ErrDamaged)}
}

// skip returns the first readable number after first, end if there is none. Rows are stored by number, so damage is
// contiguous: doubling steps find its far side, bisection its edge.
func (d *DB) skip(ctx context.Context, first, end uint64) (uint64, error) {
	var failed error
	readable := func(n uint64) bool {
		if n >= end || failed != nil {
			return true
		}
		_, err := d.rows(ctx, n, end, 1)
		if !damaged(err) {
			failed = err
		}
		return !damaged(err)
	}
	bad, step := first, uint64(1)
	for !readable(first + step) {
		bad, step = first+step, 2*step
	}
	good := first + step
	for good-bad > 1 {
		if middle := bad + (good-bad)/2; readable(middle) {
			good = middle
		} else {
			bad = middle
		}
	}
	return good, d.explain(failed)
}

// maxWorker is the most runes of a worker's name that are read: a stranger's database may hold any text.
const maxWorker = 100

// row is a row of the table games.
type row struct {
	number, model        int64
	worker, result, time string
	plies                int
	record               []byte
}

// rows returns up to limit rows in [first, end), ascending, as far as they are readable.
func (d *DB) rows(ctx context.Context, first, end uint64, limit int) (all []row, err error) {
	last := int64(min(end-1, 1<<63-1))
	tx, err := d.sql.BeginTx(ctx, &sql.TxOptions{ReadOnly: true}) // both questions are about the same games
	if err != nil {
		return nil, err
	}
	defer tx.Rollback()
	result, err := tx.QueryContext(ctx,
		"SELECT number, model, worker, result, plies, time, record FROM games WHERE number BETWEEN ? AND ? ORDER BY number LIMIT ?",
		int64(first), last, limit)
	if err != nil {
		return nil, err
	}
	defer result.Close()
	for result.Next() {
		var r row
		if err := result.Scan(&r.number, &r.model, &r.worker, &r.result, &r.plies, &r.time, &r.record); err != nil {
			return all, fmt.Errorf("a row is %w: %w", replay.ErrDamaged, err)
		}
		if r.number < int64(first) || r.number > last { // a page out of order
			return all, errDisorder
		}
		first = uint64(r.number) + 1
		all = append(all, r)
	}
	if err := result.Err(); err != nil || len(all) == limit || first > uint64(last) {
		return all, err
	}
	var later bool // a damaged number ends the rows early: SQLite finds the last one from the other side
	err = tx.QueryRowContext(ctx, "SELECT max(number) IS NOT NULL FROM games WHERE number BETWEEN ? AND ?", int64(first), last).Scan(&later)
	if err == nil && later {
		err = errDisorder
	}
	return all, err
}

var errDisorder = fmt.Errorf("rows are out of order: %w", replay.ErrDamaged)

func damaged(err error) bool {
	c := code(err)
	return c == sqlite3.SQLITE_CORRUPT || c == sqlite3.SQLITE_NOTADB || errors.Is(err, replay.ErrDamaged)
}

func (r row) entry() replay.Entry {
	e := replay.Entry{Number: uint64(r.number), Worker: printable.Text(r.worker, maxWorker)}
	var err error
	e.Game, e.Time, err = r.decode()
	switch {
	case errors.Is(err, replay.ErrVersion):
		e.Err = fmt.Errorf("game %d: %w", r.number, err)
	case err != nil:
		e.Err = fmt.Errorf("game %d: %w: %w", r.number, replay.ErrDamaged, err)
	}
	return e
}

// decode decodes the record and compares it with the other columns, since SQLite itself notices few damaged bytes.
func (r row) decode() (*replay.Record, time.Time, error) {
	g := new(replay.Record)
	if err := g.UnmarshalBinary(r.record); err != nil {
		return nil, time.Time{}, err
	}
	if err := r.compare(g); err != nil {
		return nil, time.Time{}, err
	}
	at, err := time.Parse(time.RFC3339, r.time)
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("the time is %q", r.time)
	}
	return g, at, nil
}

// compare returns an error that names the first column that differs from the record.
func (r row) compare(g *replay.Record) error {
	for _, column := range []struct {
		name      string
		row, game any
	}{
		{"number", r.number, int64(g.Number)},
		{"model", r.model, int64(g.Model)},
		{"result", r.result, g.Winner()},
		{"plies", r.plies, len(g.Moves)},
	} {
		if column.row != column.game {
			return fmt.Errorf("column %s is %v, but the record has %v", column.name, column.row, column.game)
		}
	}
	return nil
}

// Span returns the lowest number of a game and the highest plus one; 0 and 0 if there is none. A negative number, which
// Read passes over, is an error.
func (d *DB) Span(ctx context.Context) (first, end uint64, err error) {
	var low, high int64
	err = d.sql.QueryRowContext(ctx, "SELECT coalesce((SELECT min(number) FROM games), 0), coalesce((SELECT max(number) FROM games), -1)").Scan(&low, &high)
	switch {
	case err != nil:
	case low < 0:
		err = fmt.Errorf("game %d has a negative number: remove it with an SQLite shell (DELETE FROM games WHERE number < 0)", low)
	case low > high+1:
		err = fmt.Errorf("its games are %w: the lowest number is %d, the highest %d: save the readable ones with `tengen replay repair %s`", replay.ErrDamaged, low, high, printable.Word(filepath.Dir(d.path)))
	default:
		return uint64(low), uint64(high) + 1, nil
	}
	return 0, 0, d.explain(err)
}

// WorkerGames describes the games of one worker.
type WorkerGames struct {
	Games int       `json:"games"`
	Last  time.Time `json:"last,omitzero"` // when the latest was stored
}

// Workers returns the games of each worker, by its name.
func (d *DB) Workers(ctx context.Context) (map[string]WorkerGames, error) {
	rows, err := d.sql.QueryContext(ctx, "SELECT worker, games, last FROM workers")
	if err != nil {
		return nil, d.explain(err)
	}
	defer rows.Close()
	workers := map[string]WorkerGames{}
	for rows.Next() {
		var name, last string
		var w WorkerGames
		if err := rows.Scan(&name, &w.Games, &last); err != nil {
			return nil, d.explain(err)
		}
		w.Last, _ = time.Parse(time.RFC3339, last) // zero for a damaged row
		workers[printable.Text(name, maxWorker)] = w
	}
	return workers, d.explain(rows.Err())
}

package gamesdb

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"tengen/replay"
)

// Put stores games, all or none. When it returns nil, they are safe on disk. A game replaces an earlier one with its
// number.
func (d *DB) Put(ctx context.Context, games ...replay.Entry) error {
	records := make([][]byte, len(games))
	for i, e := range games {
		var err error
		if records[i], err = e.Game.MarshalBinary(); err != nil {
			return err
		}
	}
	return d.change(ctx, func(tx *sql.Tx) error {
		insert, err := tx.PrepareContext(ctx, "INSERT OR REPLACE INTO games VALUES (?, ?, ?, ?, ?, ?, ?)")
		if err != nil {
			return err
		}
		defer insert.Close()
		for i, e := range games {
			g, at := e.Game, e.Time.UTC().Format("2006-01-02T15:04:05.000Z")
			if _, err := insert.ExecContext(ctx, int64(g.Number), int64(g.Model), e.Worker, g.Winner(), len(g.Moves), at, records[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// Drop removes the games with numbers less than below.
func (d *DB) Drop(ctx context.Context, below uint64) error {
	return d.change(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "DELETE FROM games WHERE number < ?", int64(below))
		return err
	})
}

// Remove removes games by their numbers, all or none.
func (d *DB) Remove(ctx context.Context, numbers ...uint64) error {
	return d.change(ctx, func(tx *sql.Tx) error {
		for _, n := range numbers {
			if _, err := tx.ExecContext(ctx, "DELETE FROM games WHERE number = ?", int64(n)); err != nil {
				return err
			}
		}
		return nil
	})
}

// change makes the changes of do in one transaction, all or none. It may call do again, see retryBusy.
func (d *DB) change(ctx context.Context, do func(*sql.Tx) error) error {
	return d.explain(d.retryBusy(ctx, func() error {
		tx, err := d.sql.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer tx.Rollback()
		if err = do(tx); err == nil {
			err = tx.Commit()
		}
		if err != nil && ctx.Err() != nil { // package sql may say only that the transaction is over
			return ctx.Err()
		}
		return err
	}))
}

// retryBusy calls do until no other program's lock blocks it, and reports the first lock.
func (d *DB) retryBusy(ctx context.Context, do func() error) error {
	for told := false; ; told = true {
		err := do()
		if !busy(err) {
			return err
		}
		if !told {
			d.report(fmt.Errorf("waiting for another program to unlock %s (is a transaction open in a sqlite3 shell?)", d.path))
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Millisecond): // after busy_timeout
		}
	}
}

package gamesdb

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"

	"tengen/internal/printable"
)

// AddOrigin stores which run the games are of: its settings that must not change, by key, and the SHA-256 of models'
// files, by file name. If the database has another value for one, AddOrigin returns CheckOrigin's error and stores
// nothing.
func (d *DB) AddOrigin(ctx context.Context, origin map[string]string) error {
	if err := d.CheckOrigin(ctx, origin); err != nil {
		return err
	}
	stored, err := d.Origin(ctx)
	if err != nil {
		return err
	}
	missing := maps.Clone(origin)
	maps.DeleteFunc(missing, func(name, _ string) bool { _, ok := stored[name]; return ok })
	if len(missing) == 0 {
		return nil // without a write
	}
	return d.change(ctx, func(tx *sql.Tx) error {
		for name, value := range missing {
			if _, err := tx.ExecContext(ctx, "INSERT INTO origin VALUES (?, ?)", name, value); err != nil {
				return err
			}
		}
		return nil
	})
}

// CheckOrigin returns an error if the database has another value than a run's origin. What only one of both names is no
// difference: games and models may have been lost.
func (d *DB) CheckOrigin(ctx context.Context, origin map[string]string) error {
	ours, err := d.Origin(ctx)
	for _, name := range slices.Sorted(maps.Keys(ours)) {
		if here, there := ours[name], origin[name]; there != "" && here != there {
			return fmt.Errorf("%s does not belong to this run: its %s is %s, but the run's is %s: "+
				"restore the whole run from one backup, or move %[1]s and its -wal and -shm away, and the run plays the games of its window again",
				d.path, printable.Text(name, 80), printable.Text(here, 80), printable.Text(there, 80))
		}
	}
	return err
}

// Origin returns what AddOrigin has stored.
func (d *DB) Origin(ctx context.Context) (map[string]string, error) {
	rows, err := d.sql.QueryContext(ctx, "SELECT name, value FROM origin")
	if err != nil {
		return nil, d.explain(err)
	}
	defer rows.Close()
	origin := map[string]string{}
	for rows.Next() {
		var name, value string
		if err := rows.Scan(&name, &value); err != nil {
			return nil, d.explain(err)
		}
		origin[name] = value
	}
	return origin, d.explain(rows.Err())
}

// Forget removes the games and files of all models after the given one, which the run will not make again as they were.
func (d *DB) Forget(ctx context.Context, model uint64) error {
	return d.change(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "DELETE FROM games WHERE model > ?1;"+
			"DELETE FROM origin WHERE name LIKE 'model-%' AND CAST(substr(name, 7) AS INTEGER) > ?1", int64(model))
		return err
	})
}

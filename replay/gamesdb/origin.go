package gamesdb

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"

	"tengen/internal/printable"
)

// AddOrigin stores the run's settings that must not change and the SHA-256 of models' files, by iteration. Rows that are
// there already stay. If one differs, AddOrigin returns CheckOrigin's error and stores nothing.
func (d *DB) AddOrigin(ctx context.Context, settings map[string]string, models map[uint64]string) error {
	if err := d.CheckOrigin(ctx, settings, models); err != nil {
		return err
	}
	return d.change(ctx, func(tx *sql.Tx) error {
		for name, value := range settings {
			if _, err := tx.ExecContext(ctx, "INSERT OR IGNORE INTO settings VALUES (?, ?)", name, value); err != nil {
				return err
			}
		}
		for model, sum := range models {
			if _, err := tx.ExecContext(ctx, "INSERT OR IGNORE INTO model_files VALUES (?, ?)", int64(model), sum); err != nil {
				return err
			}
		}
		return nil
	})
}

// CheckOrigin returns an error if the database names other settings or models than a run that has these. What only one of
// both names is no difference: games and models may have been lost.
func (d *DB) CheckOrigin(ctx context.Context, settings map[string]string, models map[uint64]string) error {
	ours, files, err := d.Origin(ctx)
	if err != nil {
		return err
	}
	if name, differs := difference(ours, settings); differs {
		return d.foreign(name, ours[name], settings[name])
	}
	if model, differs := difference(files, models); differs {
		return d.foreign(fmt.Sprintf("the SHA-256 of model %d", model), files[model], models[model])
	}
	return nil
}

func (d *DB) foreign(what, here, there string) error {
	return fmt.Errorf("%s does not belong to this run: it says that %s is %s, but the run has %s: "+
		"restore the whole run from one backup, or move %[1]s and its -wal and -shm away, and the run plays the games of its window again",
		d.path, printable.Text(what, 80), printable.Text(here, 80), printable.Text(there, 80))
}

// difference returns the lowest key with a different value in a and b.
func difference[K cmp.Ordered](a, b map[K]string) (key K, differs bool) {
	for _, key := range slices.Sorted(maps.Keys(a)) {
		if other, both := b[key]; both && other != a[key] {
			return key, true
		}
	}
	return key, false
}

// Origin returns what AddOrigin has stored.
func (d *DB) Origin(ctx context.Context) (settings map[string]string, models map[uint64]string, err error) {
	settings, models = map[string]string{}, map[uint64]string{}
	if err = scan(ctx, d, settings, "SELECT name, value FROM settings"); err == nil {
		err = scan(ctx, d, models, "SELECT model, sha256 FROM model_files")
	}
	return settings, models, d.explain(err)
}

func scan[K comparable](ctx context.Context, d *DB, into map[K]string, query string) error {
	rows, err := d.sql.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var key K
		var value string
		if err := rows.Scan(&key, &value); err != nil {
			return err
		}
		into[key] = value
	}
	return rows.Err()
}

// Forget removes the games and files of all models after the given one, which the run will not make again as they were.
func (d *DB) Forget(ctx context.Context, model uint64) error {
	return d.change(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "DELETE FROM games WHERE model > ?", int64(model))
		if err == nil {
			_, err = tx.ExecContext(ctx, "DELETE FROM model_files WHERE model > ?", int64(model))
		}
		return err
	})
}

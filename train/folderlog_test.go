package train

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"tengen/replay"
)

// gamesFolder is the folder of a run directory with the log of these tests.
const gamesFolder = "games"

// folderLog is a Log with a file for each game, which outlives the process. What it does not do is to wait for the
// disk.
type folderLog struct {
	path   string
	before func(*replay.Record) error // if set, is called by Append; its error is returned
	mu     sync.Mutex
}

func (l *folderLog) Append(ctx context.Context, worker string, g *replay.Record) (uint64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.before != nil {
		if err := l.before(g); err != nil {
			return 0, err
		}
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	record, err := g.MarshalBinary()
	if err != nil {
		return 0, err
	}
	sequences, err := l.sequences()
	if err != nil {
		return 0, err
	}
	for _, s := range sequences {
		if e := l.entry(s); e.Game != nil && e.Game.ID() == g.ID() {
			return s, nil
		}
	}
	next := uint64(1)
	if n := len(sequences); n > 0 {
		next = sequences[n-1] + 1
	}
	return next, errors.Join(os.MkdirAll(l.path, 0o755), os.WriteFile(l.file(next), record, 0o644))
}

func (l *folderLog) Read(ctx context.Context, after uint64, yield func(replay.Entry) error) error {
	sequences, err := l.sequences()
	if err != nil {
		return err
	}
	for _, s := range sequences {
		if s <= after {
			continue
		}
		if err := yield(l.entry(s)); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (l *folderLog) Flush(ctx context.Context) error { return ctx.Err() }

func (l *folderLog) Retain(ctx context.Context, positions int) error {
	sequences, err := l.sequences()
	if err != nil {
		return err
	}
	kept := 0
	for _, s := range slices.Backward(sequences) {
		if kept >= positions {
			err = errors.Join(err, os.Remove(l.file(s)))
		}
		if e := l.entry(s); e.Game != nil {
			kept += e.Game.Positions()
		}
	}
	return errors.Join(err, ctx.Err())
}

func (l *folderLog) file(sequence uint64) string {
	return filepath.Join(l.path, fmt.Sprintf("%06d.game", sequence))
}

// sequences are the numbers of the entries, ascending.
func (l *folderLog) sequences() (all []uint64, err error) {
	files, err := filepath.Glob(filepath.Join(l.path, "*.game"))
	for _, file := range files { // sorted
		var s uint64
		if _, err := fmt.Sscanf(filepath.Base(file), "%d.game", &s); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, err
}

func (l *folderLog) entry(sequence uint64) replay.Entry {
	record, err := os.ReadFile(l.file(sequence))
	g := new(replay.Record)
	if err == nil {
		err = g.UnmarshalBinary(record)
	}
	if err != nil {
		return replay.Entry{Sequence: sequence, Err: fmt.Errorf("%s is damaged: %w", l.file(sequence), err)}
	}
	return replay.Entry{Sequence: sequence, Worker: LocalWorker, Game: g}
}

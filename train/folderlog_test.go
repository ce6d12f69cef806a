package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"tengen/replay"
)

// gamesFolder is the folder of a run directory with the log of these tests.
const gamesFolder = "games"

// folderLog is a Log that outlives the process without waiting for the disk. It keeps each game's record in a file, which is
// named after the game and its worker.
type folderLog struct {
	path   string
	origin sync.Map                   // string by string
	before func(*replay.Record) error // if set, is called before a game is stored; its error is returned
	drop   func(below uint64) error   // if set, is called before games are dropped; its error is returned
}

func newFolderLog(t testing.TB) *folderLog { return &folderLog{path: t.TempDir()} }

// entries reads all games, whose numbers are below 100.
func (l *folderLog) entries(t testing.TB) (all []replay.Entry) {
	t.Helper()
	err := l.Read(t.Context(), 0, 100, func(e replay.Entry) error {
		all = append(all, e)
		return nil
	})
	noError(t, err)
	return all
}

func (l *folderLog) Put(ctx context.Context, games ...replay.Entry) error {
	for _, e := range games {
		if l.before != nil {
			if err := l.before(e.Game); err != nil {
				return err
			}
		}
		record, err := e.Game.MarshalBinary()
		if err := errors.Join(err, ctx.Err(), os.MkdirAll(l.path, 0o755), l.remove(e.Game.Number)); err != nil {
			return err
		}
		file := filepath.Join(l.path, fmt.Sprintf("%06d.%s", e.Game.Number, e.Worker))
		if err := os.WriteFile(file, record, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (l *folderLog) Read(ctx context.Context, first, end uint64, yield func(replay.Entry) error) error {
	for n := first; n < end; n++ {
		file := l.file(n)
		if file == "" {
			continue
		}
		e := replay.Entry{Number: n, Worker: strings.TrimPrefix(filepath.Ext(file), "."), Game: new(replay.Record)}
		record, err := os.ReadFile(file)
		if err := cmp.Or(err, e.Game.UnmarshalBinary(record)); err != nil {
			e.Game, e.Err = nil, fmt.Errorf("%s: %w: %w", file, replay.ErrDamaged, err)
		}
		if err := yield(e); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (l *folderLog) Drop(ctx context.Context, below uint64) error {
	if l.drop != nil {
		if err := l.drop(below); err != nil {
			return err
		}
	}
	for n := range below {
		if err := l.remove(n); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Remove implements Log.
func (l *folderLog) Remove(ctx context.Context, numbers ...uint64) error {
	for _, n := range numbers {
		if err := l.remove(n); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// AddOrigin implements Log, for this process.
func (l *folderLog) AddOrigin(_ context.Context, origin map[string]string) error {
	for name, value := range origin {
		if known, _ := l.origin.LoadOrStore(name, value); known != value {
			return fmt.Errorf("%s is another: %v, not %s", name, known, value)
		}
	}
	return nil
}

// Forget implements Log.
func (l *folderLog) Forget(ctx context.Context, model uint64) error {
	return l.Read(ctx, 0, 1000, func(e replay.Entry) error {
		if e.Game == nil || e.Game.Model <= model {
			return nil
		}
		return l.remove(e.Number)
	})
}

// file returns a game's file, "" if it has none.
func (l *folderLog) file(number uint64) string {
	files, err := filepath.Glob(filepath.Join(l.path, fmt.Sprintf("%06d.*", number)))
	if err != nil || len(files) == 0 {
		return ""
	}
	return files[0]
}

func (l *folderLog) remove(number uint64) error {
	if file := l.file(number); file != "" {
		return os.Remove(file)
	}
	return nil
}

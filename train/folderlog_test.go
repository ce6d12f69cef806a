package train

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"tengen/replay"
)

// gamesFolder is the folder of a run directory with the log of these tests.
const gamesFolder = "games"

// folderLog is a Log with a file for each game, which outlives the process: a checksum, the record and the worker. What it
// does not do is to wait for the disk.
type folderLog struct {
	path   string
	origin sync.Map                   // string by string
	before func(*replay.Record) error // if set, is called before a game is stored; its error is returned
}

func newFolderLog(t testing.TB) *folderLog { return &folderLog{path: t.TempDir()} }

// entries reads all games, whose numbers are below 100.
func (l *folderLog) entries(t testing.TB) (all []replay.Entry) {
	t.Helper()
	err := l.Read(t.Context(), 0, 100, func(e replay.Entry) error {
		all = append(all, e)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func (l *folderLog) Put(ctx context.Context, games ...replay.Entry) error {
	for _, e := range games {
		g := e.Game
		if l.before != nil {
			if err := l.before(g); err != nil {
				return err
			}
		}
		record, err := g.MarshalBinary()
		if err := errors.Join(err, ctx.Err(), os.MkdirAll(l.path, 0o755)); err != nil {
			return err
		}
		content := fmt.Appendf(nil, "%s%s%8d", record, e.Worker, len(record))
		sum := sha256.Sum256(content)
		if err := os.WriteFile(l.file(g.Number), append(sum[:], content...), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (l *folderLog) Read(ctx context.Context, first, end uint64, yield func(replay.Entry) error) error {
	for n := first; n < end; n++ {
		content, err := os.ReadFile(l.file(n))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		e := replay.Entry{Number: n, Game: new(replay.Record)}
		if err == nil {
			e.Worker, err = decode(content, e.Game)
		}
		if err != nil {
			e.Game, e.Err = nil, fmt.Errorf("%s: %w: %w", l.file(n), replay.ErrDamaged, err)
		}
		if err := yield(e); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func decode(content []byte, g *replay.Record) (worker string, err error) {
	sum, content := content[:min(sha256.Size, len(content))], content[min(sha256.Size, len(content)):]
	if want := sha256.Sum256(content); string(sum) != string(want[:]) {
		return "", errors.New("the checksum differs")
	}
	content, size := content[:len(content)-8], string(content[len(content)-8:])
	record, err := strconv.Atoi(strings.TrimSpace(size))
	return string(content[record:]), errors.Join(err, g.UnmarshalBinary(content[:record]))
}

func (l *folderLog) Drop(ctx context.Context, below uint64) error {
	for n := range below {
		if err := os.Remove(l.file(n)); err != nil && !errors.Is(err, os.ErrNotExist) {
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
		return os.Remove(l.file(e.Number))
	})
}

func (l *folderLog) file(number uint64) string {
	return filepath.Join(l.path, fmt.Sprintf("%06d.game", number))
}

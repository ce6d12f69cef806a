package gamesdb

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"tengen/internal/atomicfile"
	"tengen/replay"
)

// Repair copies every readable game into a new database and keeps the old one, without its WAL, with the suffix
// ".damaged". It reports each lost game and each gap between readable ones. The old database stays in place after an
// error. The caller must hold the run's lock.
func Repair(ctx context.Context, dir string, report func(error)) (kept int, err error) {
	path := filepath.Join(dir, FileName)
	if _, err := os.Lstat(path + ".damaged"); !errors.Is(err, os.ErrNotExist) {
		return 0, fmt.Errorf("%s.damaged is there from an earlier repair: move it away", path)
	}
	unfinished, err := os.MkdirTemp(dir, ".tengen-repair-*")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(unfinished)
	repaired, err := Open(ctx, unfinished, report)
	if err != nil {
		return 0, err
	}
	defer repaired.Close()
	switch old, err := OpenReader(ctx, dir, ""); {
	case damaged(err):
		report(errors.New("no game can be read"))
	case err != nil:
		return 0, err
	default:
		if origin, err := old.Origin(ctx); err != nil {
			report(fmt.Errorf("the settings and the checksums of models cannot be read, the run writes them again: %w", err))
		} else if err := repaired.AddOrigin(ctx, origin); err != nil {
			return 0, err
		}
		kept, err = copyReadable(ctx, old, repaired, report)
		if err := errors.Join(err, old.Close()); err != nil {
			return 0, err
		}
	}
	if err := repaired.Close(); err != nil {
		return 0, err
	}
	if err := atomicfile.Rename(path, path+".damaged"); err != nil {
		return 0, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, atomicfile.Rename(path+".damaged", path))
		}
	}()
	for _, suffix := range []string{"-wal", "-shm"} { // their content is copied, and must not reach the new database
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return 0, err
		}
	}
	return kept, atomicfile.Rename(filepath.Join(unfinished, FileName), path)
}

// copyReadable copies the readable games into another database, with their workers and times.
func copyReadable(ctx context.Context, from, to *DB, report func(error)) (kept int, err error) {
	next, known := uint64(0), false // the number expected next, unless the one before was unreadable
	var batch []replay.Entry
	err = from.Read(ctx, 0, endless, func(e replay.Entry) error {
		if e.Number > next && known {
			report(fmt.Errorf("games %d to %d are missing", next, e.Number-1))
		}
		next, known = e.Number+1, e.Err == nil
		if e.Err != nil {
			report(e.Err)
			return nil
		}
		kept++
		if batch = append(batch, e); len(batch) < page {
			return nil
		}
		full := batch
		batch = nil
		return to.Put(ctx, full...)
	})
	if err == nil {
		err = to.Put(ctx, batch...)
	}
	return kept, err
}

// endless exceeds the number of every game.
const endless = 1 << 62

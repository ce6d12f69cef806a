package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"tengen/engine"
	"tengen/internal/atomicfile"
	"tengen/internal/files"
	"tengen/replay"
	"tengen/replay/gamesdb"
	"tengen/train/checkpoint"
)

// Backup describes a copy of a run.
type Backup struct {
	Iteration int `json:"iteration"` // of the newest copied checkpoint, from which training continues
	*Verification
}

// BackupRun copies the run in dir to a path that must not exist. If it fails, it leaves no copy. Training can continue
// the copy as it could continue the run after a power failure. Backup lists the run's defects, which are not errors.
func BackupRun(ctx context.Context, dir, to string) (b *Backup, err error) {
	if _, _, err := ReadConfig(dir); err != nil {
		return nil, err
	}
	to = filepath.Clean(to) // filepath.Dir of a path with a trailing separator is the path itself
	if err := checkVacant(dir, to); err != nil {
		return nil, err
	}
	unfinished, err := os.MkdirTemp(filepath.Dir(to), ".tengen-backup-*")
	if err != nil {
		return nil, fmt.Errorf("cannot make the copy %s: %w", to, err)
	}
	unfinished = filepath.Clean(unfinished) // for error messages
	defer func() {
		if err != nil {
			os.RemoveAll(unfinished)
		}
	}()
	b = &Backup{}
	if b.Iteration, err = copyRun(ctx, dir, unfinished); err != nil {
		return nil, fmt.Errorf("cannot copy %s to %s: %w", dir, to, err)
	}
	b.Verification, err = VerifyRun(ctx, unfinished)
	if err != nil {
		return nil, fmt.Errorf("cannot read the copy of %s: %w", dir, err)
	}
	for i, p := range b.Problems {
		b.Problems[i].File = strings.ReplaceAll(p.File, unfinished, to)
		b.Problems[i].Text = strings.ReplaceAll(p.Text, unfinished, to)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(os.Chmod(unfinished, info.Mode().Perm()), atomicfile.Rename(unfinished, to)); err != nil {
		return nil, fmt.Errorf("cannot give the copy the name %s: %w", to, err)
	}
	return b, nil
}

// checkVacant returns an error if to exists or lies in dir.
func checkVacant(dir, to string) error {
	switch _, err := os.Lstat(to); {
	case err == nil:
		return engine.InputErrorf("%s exists already: name a new folder", to)
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("cannot make the copy %s: %w", to, err)
	}
	from, err := resolved(dir)
	if err != nil {
		return err
	}
	parent, err := resolved(filepath.Dir(to))
	if err != nil {
		return fmt.Errorf("cannot make the copy %s: %w", to, err)
	}
	if inside, err := filepath.Rel(from, parent); err == nil && filepath.IsLocal(inside) {
		return engine.InputErrorf("%s is inside %s: name a folder elsewhere", to, dir)
	}
	return nil
}

func resolved(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}

func copyRun(ctx context.Context, dir, to string) (iteration int, err error) {
	games, err := gamesdb.OpenReader(ctx, dir, lockFile(dir))
	if err != nil {
		return 0, err
	}
	defer games.Close()
	var snapshot *gamesdb.Snapshot
	defer func() { snapshot.Close() }()
	iteration, err = checkpoint.Copy(ctx, dir, to, func(c *checkpoint.Checkpoint) (whole bool, err error) {
		snapshot.Close() // of an earlier attempt
		if snapshot, err = games.Snapshot(ctx); err != nil {
			return false, err
		}
		return snapshot.First+uint64(c.Window) <= c.Cursor, nil
	})
	if err != nil {
		return 0, err
	}
	if err := snapshot.Backup(to); err != nil {
		return 0, err
	}
	return iteration, copyOthers(dir, to)
}

// copyOthers copies the files that are neither checkpoints nor games.
func copyOthers(dir, to string) error {
	return fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil {
			err = copyOther(dir, name, d, to)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed meanwhile
		}
		return err
	})
}

func copyOther(dir, name string, d fs.DirEntry, to string) error {
	target := filepath.Join(to, filepath.FromSlash(name))
	info, err := d.Info()
	switch {
	case excluded(filepath.FromSlash(name)) && d.IsDir():
		return fs.SkipDir
	case excluded(filepath.FromSlash(name)):
		return nil
	case err != nil:
		return err
	case d.IsDir():
		return atomicfile.MkdirAll(target, info.Mode().Perm())
	case !info.Mode().IsRegular():
		return nil
	}
	content, err := files.Read(filepath.Join(dir, filepath.FromSlash(name)), info.Size())
	if err != nil {
		return err
	}
	return atomicfile.WriteBytes(target, info.Mode().Perm(), content)
}

// excluded reports whether a file belongs to checkpoints or games, is temporary, or is rebuilt later.
func excluded(name string) bool {
	temporary, _ := filepath.Match(atomicfile.TempPattern, filepath.Base(name))
	return temporary || filepath.Base(name) == checkpoint.LockFile || checkpoint.Owns(name) ||
		strings.HasPrefix(name, gamesdb.FileName) || strings.HasPrefix(name, "events.out.tfevents.")
}

// RepairRun copies readable games into a new database (see gamesdb.Repair) and returns their number. It calls report
// for each loss. No other process may use the run.
func RepairRun(ctx context.Context, dir string, report func(error)) (kept int, err error) {
	if _, _, err := ReadConfig(dir); err != nil {
		return 0, err
	}
	unlock, err := checkpoint.Lock(dir)
	if err != nil {
		return 0, err
	}
	defer unlock()
	return gamesdb.Repair(ctx, dir, report)
}

// Verification is the result of VerifyRun.
type Verification struct {
	Games    int      `json:"games"` // intact
	Files    int      `json:"files"` // checkpoint files, intact or not
	Problems []Defect `json:"problems"`
}

// Defect is a damaged game or file.
type Defect struct {
	Game *uint64 `json:"game,omitempty"` // number
	File string  `json:"file,omitempty"`
	Text string  `json:"problem"`
}

// VerifyRun reads every game, checkpoint and model of a run, and checks that they are of one run. It changes nothing.
func VerifyRun(ctx context.Context, dir string) (*Verification, error) {
	cfg, e, err := ReadConfig(dir)
	if err != nil {
		return nil, err
	}
	games, err := gamesdb.OpenUntouched(ctx, dir, lockFile(dir))
	if err != nil {
		return nil, err
	}
	run, err := newRun(ctx, &Run{Game: e, Config: cfg, dir: dir, log: games, close: games.Close})
	if err != nil {
		return nil, err
	}
	defer run.Close()
	origin, strange := games.Origin(ctx)
	files, newest, err := checkpoint.Verify(dir, origin)
	if err != nil {
		return nil, err
	}
	v := &Verification{Files: len(files), Problems: []Defect{}}
	strange = cmp.Or(strange, games.CheckOrigin(ctx, cfg.immutableSettings()), games.CheckOrigin(ctx, newest.KnownModels(dir)))
	if strange != nil {
		v.Problems = append(v.Problems, Defect{File: filepath.Join(dir, gamesdb.FileName), Text: strange.Error()})
	}
	for _, f := range files {
		if f.Err != nil {
			v.Problems = append(v.Problems, Defect{File: f.File, Text: f.Err.Error()})
		}
	}
	committed := uint64(0) // games below this number must exist; others are stored as they end
	if newest != nil {
		committed = newest.Cursor
	}
	next, known := run.first, true // next number, unknown after an unreadable game
	err = run.Read(ctx, run.first, func(e replay.Entry) error {
		if missing := next; missing < min(e.Number, committed) && known {
			v.Problems = append(v.Problems, Defect{Game: &missing, Text: fmt.Sprintf("games %d to %d are missing", missing, e.Number-1)})
		}
		next, known = e.Number+1, e.Err == nil
		if err := run.Check(e); err != nil {
			v.Problems = append(v.Problems, Defect{Game: &e.Number, Text: err.Error()})
			return nil
		}
		v.Games++
		return nil
	})
	return v, err
}

package run

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"

	"tengen/engine"
	"tengen/replay"
	"tengen/replay/gamesdb"
	"tengen/selfplay"
	"tengen/train/checkpoint"
)

// Run reads the games present when it was opened. It is safe for concurrent use.
type Run struct {
	Game   engine.Game
	Config Config // as saved in the directory

	log        *gamesdb.DB
	first, end uint64 // game numbers
	close      func() error
}

// ReadConfig reads a run's configuration and opens its game. A run of another version is an error.
func ReadConfig(dir string) (Config, engine.Game, error) {
	if err := checkpoint.CheckVersion(dir, selfplay.Semantics); err != nil {
		return Config{}, nil, err
	}
	name := filepath.Join(dir, checkpoint.ConfigFile)
	content, err := checkpoint.ReadConfig(dir)
	if err != nil {
		return Config{}, nil, fmt.Errorf("%s is not a run directory (%w): `tengen info` lists the runs here", dir, err)
	}
	cfg, err := ParseConfig(content)
	if err != nil {
		return cfg, nil, fmt.Errorf("%s: %w", name, err)
	}
	e, err := engine.OpenRecorded(cfg.Game)
	if err != nil {
		return cfg, nil, fmt.Errorf("%s: %w", name, err)
	}
	return cfg, e, nil
}

// OpenRun opens a run for reading.
func OpenRun(ctx context.Context, dir string) (*Run, error) {
	cfg, e, err := ReadConfig(dir)
	if err != nil {
		return nil, err
	}
	games, err := gamesdb.OpenReader(ctx, dir, lockFile(dir))
	if err != nil {
		return nil, err
	}
	return newRun(ctx, &Run{Game: e, Config: cfg, log: games, close: games.Close})
}

func lockFile(dir string) string { return filepath.Join(dir, checkpoint.LockFile) }

// Recorded opens the run for reading during training. All reading must end before t is closed.
func (t *Training) Recorded(ctx context.Context) (*Run, error) {
	return newRun(ctx, &Run{Game: t.game, Config: t.cfg.Config, log: t.log, close: func() error { return nil }})
}

func newRun(ctx context.Context, r *Run) (_ *Run, err error) {
	if r.first, r.end, err = r.log.Span(ctx); err != nil {
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

// Span returns the number of the oldest game and the number after the newest, 0 and 0 without games.
func (r *Run) Span() (first, end uint64) { return r.first, r.end }

// Close closes the run.
func (r *Run) Close() error { return r.close() }

// Read calls yield for each entry from number first on (see gamesdb.DB.Read).
func (r *Run) Read(ctx context.Context, first uint64, yield func(replay.Entry) error) error {
	return r.log.Read(ctx, first, r.end, yield)
}

// Summary returns counts over all games.
func (r *Run) Summary(ctx context.Context) (*replay.Summary, error) {
	return replay.Summarize(ctx, r.log, r.first, r.end)
}

// Check returns an error unless the entry has an intact, legal game.
func (r *Run) Check(e replay.Entry) error {
	if e.Err != nil {
		return e.Err
	}
	return r.Game.Validate(e.Game)
}

// ParseGame parses a game's number.
func ParseGame(text string) (uint64, error) {
	n, err := strconv.ParseUint(text, 10, 63)
	if err != nil {
		return 0, engine.InputErrorf("%q is not a game number: write 0 or more", text)
	}
	return n, nil
}

// Find returns a game's entry if it passes Check.
func (r *Run) Find(ctx context.Context, number uint64) (found replay.Entry, err error) {
	exists := false
	err = r.log.Read(ctx, number, number+1, func(e replay.Entry) error {
		found, exists = e, true
		return r.Check(e)
	})
	switch {
	case err != nil || exists:
		return found, err
	case r.end == 0:
		return found, errors.New("the run has no games yet")
	}
	return found, fmt.Errorf("the run has no game %d: it holds games %d to %d", number, r.first, r.end-1)
}

// Games calls yield for each valid game, and skipped for each invalid one unless skipped is nil.
func (r *Run) Games(ctx context.Context, yield func(*replay.Record) error, skipped func(error)) error {
	return r.Read(ctx, 0, func(e replay.Entry) error {
		err := r.Check(e)
		if err == nil {
			return yield(e.Game)
		}
		if skipped != nil {
			skipped(err)
		}
		return nil
	})
}

// Count counts valid games and their searched positions. skipped is as in Games.
func (r *Run) Count(ctx context.Context, skipped func(error)) (games, positions int, err error) {
	err = r.Games(ctx, func(g *replay.Record) error {
		games++
		positions += g.Searched()
		return nil
	}, skipped)
	return games, positions, err
}

// ExportNPZ writes the training data as a NumPy file (see replay/npz). positions is the result of Count.
func (r *Run) ExportNPZ(ctx context.Context, w io.Writer, positions int) error {
	return r.Game.WriteNPZ(w, positions, func(yield func(*replay.Record) error) error { return r.Games(ctx, yield, nil) })
}

// ExportText writes one tab-separated line for each game: number, model, winner (first, draw, second) and moves.
func (r *Run) ExportText(ctx context.Context, w io.Writer) error {
	out := bufio.NewWriter(w)
	err := r.Games(ctx, func(g *replay.Record) error {
		_, err := fmt.Fprintf(out, "%d\t%d\t%s\t%s\n", g.Number, g.Model, g.Winner(), r.Game.Format(g.Moves...))
		return err
	}, nil)
	return errors.Join(err, out.Flush())
}

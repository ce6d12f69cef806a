package engine

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"tengen/cluster"
	"tengen/cluster/natslog"
	"tengen/internal/atomicfile"
	"tengen/replay"
	"tengen/replay/npz"
	"tengen/train/rundir"
)

// Run is a run whose games can be read: those that were there when it was opened. It is safe for concurrent use.
type Run struct {
	Engine Engine
	Config Config // as saved in the directory

	dir   string
	log   gameReader
	last  uint64 // sequence number, when the run was opened
	close func() error
}

// gameReader is what a Run asks of a replay.Log.
type gameReader interface {
	Read(ctx context.Context, after uint64, yield func(replay.Entry) error) error
}

// ReadConfig reads the configuration of the run in a directory, and opens its game. Another process may train it.
func ReadConfig(dir string) (Config, Engine, error) {
	name := filepath.Join(dir, configFile)
	content, err := os.ReadFile(name)
	if err != nil {
		return Config{}, nil, fmt.Errorf("%s is no run directory: %w", dir, err)
	}
	cfg, err := ParseRunConfig(content)
	if err != nil {
		return cfg, nil, fmt.Errorf("%s: %w", name, err)
	}
	e, err := openRecorded(cfg.Game)
	if err != nil {
		return cfg, nil, fmt.Errorf("%s: %w", name, err)
	}
	return cfg, e, nil
}

// OpenRun opens the run in a directory, which must be there and is repaired: no training may be at work in it, unless its games
// are on a server elsewhere. report is told what the log's server finds damaged.
func OpenRun(ctx context.Context, dir string, report func(message string)) (*Run, error) {
	cfg, e, err := ReadConfig(dir)
	if err != nil {
		return nil, err
	}
	server := cfg.Cluster
	if server.Server == "" {
		server = cluster.Default() // opens no port
		if _, err := gamesOf(dir); err != nil {
			return nil, err
		}
	}
	log, err := openGameLog(ctx, dir, server, false, report)
	if err != nil {
		return nil, fmt.Errorf("cannot read the games of %s: %w", dir, err)
	}
	last, err := log.Last(ctx)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cannot read the games of %s: %w", dir, err), log.Close())
	}
	return &Run{Engine: e, Config: cfg, dir: dir, log: log.Log, last: last, close: log.Close}, nil
}

// BrowseRun opens the run in a directory for those who look on, whoever trains it: the directory is not touched, and a game that
// is recorded twice is read twice. What is damaged is an entry with an error.
func BrowseRun(ctx context.Context, dir string) (*Run, error) {
	cfg, e, err := ReadConfig(dir)
	if err != nil {
		return nil, err
	}
	if cfg.Cluster.Server != "" {
		return OpenRun(ctx, dir, func(string) {}) // no server of ours finds anything damaged
	}
	files, err := natslog.OpenFiles(filepath.Join(dir, gamesFolder), EmbeddedRun)
	if err != nil {
		return nil, fmt.Errorf("cannot read the games of %s: %w", dir, err)
	}
	return &Run{Engine: e, Config: cfg, dir: dir, log: files, last: files.Last(), close: func() error { return nil }}, nil
}

// Recorded is the run as it is now, to read its games while it is trained. It may be called by several goroutines at once, but
// not after Close, before which all reading has to be over.
func (t *Training) Recorded(ctx context.Context) (*Run, error) {
	cfg, e, err := ReadConfig(t.cfg.Dir)
	if err != nil {
		return nil, err
	}
	last, err := t.log.Last(ctx)
	if err != nil {
		return nil, fmt.Errorf("cannot read the games of %s: %w", t.cfg.Dir, err)
	}
	return &Run{Engine: e, Config: cfg, dir: t.cfg.Dir, log: t.log.Log, last: last, close: func() error { return nil }}, nil
}

// Last is the sequence number of the newest game, 0 if there is none.
func (r *Run) Last() uint64 { return r.last }

// configFile is the file of a run directory with its configuration.
const configFile = "config.yaml"

func fileExists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// Close ends the reading.
func (r *Run) Close() error { return r.close() }

// Read passes on the entries of the run's log after a sequence number, in their order, see replay.Log.
func (r *Run) Read(ctx context.Context, after uint64, yield func(replay.Entry) error) error {
	err := r.log.Read(ctx, after, func(e replay.Entry) error {
		if e.Sequence > r.last {
			return errNewer
		}
		return yield(e)
	})
	if errors.Is(err, errNewer) {
		return nil
	}
	return err
}

// errNewer ends the reading of a log that has grown since the run was opened.
var errNewer = errors.New("the game is newer than the reading")

// Summary counts what the log holds.
func (r *Run) Summary(ctx context.Context) (*replay.Summary, error) {
	return replay.Summarize(ctx, r)
}

// SpentText is a line about where the time of the run went; empty if it has no metrics that can be read.
func (r *Run) SpentText() string {
	all, err := rundir.ReadMetrics(r.dir)
	if err != nil || len(all) == 0 {
		return ""
	}
	return SpentText(all) + "\n"
}

// Check is nil if an entry of the log holds a game that keeps the rules.
func (r *Run) Check(e replay.Entry) error {
	if e.Err != nil {
		return e.Err
	}
	if err := r.Engine.validate(e.Game); err != nil {
		return fmt.Errorf("sequence number %d: %w", e.Sequence, err)
	}
	return nil
}

// Wanted names a game of a run.
type Wanted struct {
	Sequence uint64 // its number in the log, from 1
	Number   uint64 // the game's own number, where Sequence is 0
	Worker   string // with Number: whose game; "" for any
}

// ParseWanted reads the number of a game, or # and its sequence number.
func ParseWanted(text string) (w Wanted, err error) {
	digits, bySequence := strings.CutPrefix(text, "#")
	n, err := strconv.ParseUint(digits, 10, 64)
	switch {
	case err != nil || bySequence && n == 0:
		return w, inputErrorf("%q is no game: write its number, or # and its sequence number", text)
	case bySequence:
		return Wanted{Sequence: n}, nil
	}
	return Wanted{Number: n}, nil
}

func (w Wanted) matches(e replay.Entry) bool {
	if w.Sequence > 0 {
		return e.Sequence == w.Sequence
	}
	return e.Game != nil && e.Game.Number == w.Number && (w.Worker == "" || w.Worker == e.Worker)
}

// Find returns the only entry that is wanted, which holds a game that keeps the rules.
func (r *Run) Find(ctx context.Context, w Wanted) (replay.Entry, error) {
	var found []replay.Entry
	var oldest, newest uint64
	err := r.Read(ctx, 0, func(e replay.Entry) error {
		if oldest == 0 {
			oldest = e.Sequence
		}
		newest = e.Sequence
		if w.matches(e) {
			found = append(found, e)
		}
		return nil
	})
	switch {
	case err != nil:
		return replay.Entry{}, err
	case len(found) == 1:
		return found[0], r.Check(found[0])
	case newest == 0:
		return replay.Entry{}, errors.New("the log has no games")
	case len(found) == 0:
		return replay.Entry{}, fmt.Errorf("the log has no such game: it holds the sequence numbers %d to %d", oldest, newest)
	}
	var list []string
	for _, e := range found {
		list = append(list, fmt.Sprintf("#%d of worker %s", e.Sequence, e.Worker))
	}
	return replay.Entry{}, inputErrorf("several workers have a game %d: choose with --worker, or among %s",
		w.Number, strings.Join(list, ", "))
}

// Games passes on the games that keep the rules, in the order of the log, and tells skipped, unless nil, what is wrong with
// the others. A game that came before is not worth a word.
func (r *Run) Games(ctx context.Context, yield func(*replay.Record) error, skipped func(error)) error {
	return r.Read(ctx, 0, func(e replay.Entry) error {
		err := r.Check(e)
		if err == nil {
			return yield(e.Game)
		}
		if skipped != nil && !errors.Is(err, replay.ErrDuplicate) {
			skipped(err)
		}
		return nil
	})
}

// Count is the number of games that keep the rules, and of their searched positions. skipped is that of Games.
func (r *Run) Count(ctx context.Context, skipped func(error)) (games, positions int, err error) {
	err = r.Games(ctx, func(g *replay.Record) error {
		games++
		positions += g.Searched()
		return nil
	}, skipped)
	return games, positions, err
}

// ExportNPZ writes what the network learns from into a file for NumPy, see replay/npz. positions is that of Count.
func (r *Run) ExportNPZ(ctx context.Context, file string, positions int) error {
	return atomicfile.Write(file, 0o644, func(w io.Writer) error {
		return r.Engine.writeNPZ(w, positions, func(yield func(*replay.Record) error) error { return r.Games(ctx, yield, nil) })
	})
}

// ExportText writes a line for each game into a file: number, model, winner (first, draw, second) and moves, with tabs
// between.
func (r *Run) ExportText(ctx context.Context, file string) error {
	return atomicfile.Write(file, 0o644, func(w io.Writer) error {
		out := bufio.NewWriter(w)
		err := r.Games(ctx, func(g *replay.Record) error {
			_, err := fmt.Fprintf(out, "%d\t%d\t%s\t%s\n", g.Number, g.Model, g.Winner(), r.Engine.FormatMoves(g.Moves))
			return err
		}, nil)
		return errors.Join(err, out.Flush())
	})
}

func (e typed[S]) writeNPZ(w io.Writer, positions int, games func(yield func(*replay.Record) error) error) error {
	return npz.Write(w, e.game, positions, games)
}

func (e typed[S]) validate(g *replay.Record) error { return replay.Validate(e.game, g) }

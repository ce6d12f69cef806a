package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"tengen/net"
	"tengen/replay"
)

// Player plays games, on this machine or elsewhere.
type Player interface {
	// Generate plays the games with these numbers and hands each to the sink as it ends. It returns once the sink has
	// all of them. A game depends only on its number, the model and the run's seed.
	Generate(ctx context.Context, model uint64, w *net.Weights, numbers []uint64, sink replay.Sink) (replay.Stats, error)
}

// Distrustful is a Player that detects workers sending forged games.
type Distrustful interface {
	// Caught returns the workers detected since the last call. None of their games may be used.
	Caught() []string
}

// Log is the part of replay.Log that a Journal uses.
type Log interface {
	Put(ctx context.Context, worker string, games ...*replay.Record) error
	Read(ctx context.Context, first, end uint64, yield func(replay.Entry) error) error
	Drop(ctx context.Context, below uint64) error
}

// Journal is the GameSource of a run. With n games per iteration, iteration i has games (i-1)n to in-1, and a cursor is
// the next game's number. Each game is logged soon after it ends, and the log alone decides which games are missing, so
// no stored game is played twice. Only Retain may run concurrently with another method.
type Journal struct{ cfg JournalConfig }

// JournalConfig is what NewJournal makes a Journal from.
type JournalConfig struct {
	Log    Log
	Player Player
	Seed   uint64
	// Keep is the number of newest games that Retain leaves in the log; 0 keeps all.
	Keep int
	// Model returns the model that played an earlier game, with its weights. The error wraps fs.ErrNotExist if the
	// model no longer exists.
	Model  func(number uint64) (model uint64, w *net.Weights, err error)
	Report func(error) // called for damaged, lost or forged games
}

// LocalWorker is the training process's worker name in the log.
const LocalWorker = "local"

// NewJournal returns the journal of a run.
func NewJournal(cfg JournalConfig) *Journal { return &Journal{cfg} }

// Next implements GameSource. The player plays only games missing from the log.
func (j *Journal) Next(ctx context.Context, r Request) (Batch, error) {
	b := Batch{Cursor: r.After + uint64(r.Games)}
	games, err := j.read(ctx, r.After, b.Cursor)
	if err != nil {
		return Batch{}, err
	}
	for _, g := range inOrder(games) {
		if g.Model != r.Model {
			return Batch{}, fmt.Errorf("game %d in the log was played by model %d, the checkpoint says model %d: %s", g.Number, g.Model, r.Model, misfit)
		}
	}
	r.Progress(len(games))
	b.Stats, err = j.play(ctx, r.Model, r.Weights, absent(games, r.After, b.Cursor), games, func() { r.Progress(len(games)) })
	if err != nil {
		return Batch{}, err
	}
	if b.Replaced, err = j.replaceFalse(ctx, r, games); err != nil {
		return Batch{}, err
	}
	b.Games = inOrder(games)
	return b, nil
}

// replaceFalse plays all games again from workers that sent forged ones: the current iteration's, updating games, and
// older ones in the last two checkpoints' windows. It reports whether there were older ones.
func (j *Journal) replaceFalse(ctx context.Context, r Request, games map[uint64]*replay.Record) (replaced bool, err error) {
	player, ok := j.cfg.Player.(Distrustful)
	if !ok {
		return false, nil
	}
	for caught := player.Caught(); len(caught) > 0; caught = player.Caught() { // playing again may detect more
		var numbers []uint64
		var oldest uint64 // model of the first of these games
		err := j.cfg.Log.Read(ctx, r.Needed, r.After+uint64(r.Games), func(e replay.Entry) error {
			if e.Game == nil || !slices.Contains(caught, e.Worker) {
				return nil
			}
			if numbers = append(numbers, e.Number); len(numbers) == 1 {
				oldest = e.Game.Model
			}
			return nil
		})
		if err != nil {
			return false, err
		}
		if len(numbers) == 0 {
			continue
		}
		earlier, _ := slices.BinarySearch(numbers, r.After)
		if earlier > 0 {
			replaced = true
			j.cfg.Report(fmt.Errorf("the models after model %d have learned from games of %s: %d of these games are played again",
				oldest, strings.Join(caught, ", "), len(numbers)))
		}
		if err := j.again(ctx, numbers[:earlier], map[uint64]*replay.Record{}); err != nil {
			return false, err
		}
		if _, err := j.play(ctx, r.Model, r.Weights, numbers[earlier:], games, func() {}); err != nil {
			return false, err
		}
	}
	return replaced, nil
}

const misfit = "the log of games and the checkpoint do not belong together: " +
	"restore both from the same copy, or start a new run in another directory"

// Recent implements GameSource. Games lost from the log are played again if their model still exists.
func (j *Journal) Recent(ctx context.Context, cursor uint64, n int) ([]*replay.Record, error) {
	first := cursor - min(cursor, uint64(n))
	games, err := j.read(ctx, first, cursor)
	if err != nil {
		return nil, err
	}
	if lost := absent(games, first, cursor); len(lost) > 0 {
		j.cfg.Report(fmt.Errorf("%d games from %d to %d are lost: their models play them again", len(lost), lost[0], lost[len(lost)-1]))
		if err := j.again(ctx, lost, games); err != nil {
			return nil, err
		}
	}
	return inOrder(games), nil
}

// again plays games of earlier iterations again with their original models and adds them to games. It reports games
// whose model no longer exists.
func (j *Journal) again(ctx context.Context, numbers []uint64, games map[uint64]*replay.Record) error {
	for len(numbers) > 0 {
		model, w, err := j.cfg.Model(numbers[0])
		if errors.Is(err, fs.ErrNotExist) {
			j.cfg.Report(fmt.Errorf("game %d cannot be played again, its model does not exist any more: %w", numbers[0], err))
			numbers = numbers[1:]
			continue
		}
		if err != nil {
			return fmt.Errorf("game %d cannot be played again: %w", numbers[0], err)
		}
		same := 1
		for same < len(numbers) {
			if m, _, err := j.cfg.Model(numbers[same]); err != nil || m != model {
				break
			}
			same++
		}
		if _, err := j.play(ctx, model, w, numbers[:same], games, func() {}); err != nil {
			return err
		}
		numbers = numbers[same:]
	}
	return nil
}

// Retain implements GameSource.
func (j *Journal) Retain(ctx context.Context, needed, next uint64) error {
	keep := uint64(j.cfg.Keep)
	if keep == 0 || next <= keep {
		return nil
	}
	return j.cfg.Log.Drop(ctx, min(needed, next-keep))
}

// read returns the intact games in [first, end) by number, and reports damaged ones.
func (j *Journal) read(ctx context.Context, first, end uint64) (map[uint64]*replay.Record, error) {
	games := map[uint64]*replay.Record{}
	err := j.cfg.Log.Read(ctx, first, end, func(e replay.Entry) error {
		switch {
		case e.Err != nil:
			j.cfg.Report(e.Err)
		case e.Game.Seed != j.cfg.Seed:
			return fmt.Errorf("game %d in the log is of a run with seed %d, this one has seed %d: %s", e.Number, e.Game.Seed, j.cfg.Seed, misfit)
		default:
			games[e.Number] = e.Game
		}
		return nil
	})
	return games, err
}

// play has the missing games played and stored, and adds them to games. It calls progress after each transaction. When
// ctx is cancelled, it still stores finished games.
func (j *Journal) play(
	ctx context.Context, model uint64, w *net.Weights, missing []uint64, games map[uint64]*replay.Record, progress func(),
) (replay.Stats, error) {
	if len(missing) == 0 {
		return replay.Stats{}, nil
	}
	r := newRecorder(context.WithoutCancel(ctx), j.cfg.Log, missing, func(stored []*replay.Record) {
		for _, g := range stored {
			games[g.Number] = g
		}
		progress()
	})
	stats, err := j.cfg.Player.Generate(ctx, model, w, missing, r)
	if failed := r.close(); failed != nil {
		return stats, failed // this is why the player failed
	}
	return stats, err
}

func absent(games map[uint64]*replay.Record, first, end uint64) (numbers []uint64) {
	for n := first; n < end; n++ {
		if games[n] == nil {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

func inOrder(games map[uint64]*replay.Record) []*replay.Record {
	list := make([]*replay.Record, 0, len(games))
	for _, g := range games {
		list = append(list, g)
	}
	slices.SortFunc(list, func(a, b *replay.Record) int { return cmp.Compare(a.Number, b.Number) })
	return list
}

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

// Player plays games, on this machine or on others.
type Player interface {
	// Generate plays the games with these numbers, with the weights of the given model, and hands each to the sink as it ends. It
	// returns when the sink has all of them. A game depends on its number, the model and the run's seed alone.
	Generate(ctx context.Context, model uint64, w *net.Weights, numbers []uint64, sink replay.Sink) (replay.Stats, error)
}

// Distrustful is a Player that finds out which workers have sent false games.
type Distrustful interface {
	// Caught returns the workers that were found out since the last call. None of their games may be used, whenever they came.
	Caught() []string
}

// Log is what a Journal needs of a replay.Log.
type Log interface {
	Put(ctx context.Context, worker string, games ...*replay.Record) error
	Read(ctx context.Context, first, end uint64, yield func(replay.Entry) error) error
	Drop(ctx context.Context, below uint64) error
}

// Journal is the GameSource of a run. Iteration i of n games has the games with the numbers from (i-1)n to in-1, and a cursor is the
// number of the next game. Each game is stored in the log soon after it ends, and the log alone says which games are missing: so
// what a killed process had stored is not played again. Of its methods only Retain may run beside another.
type Journal struct{ cfg JournalConfig }

// JournalConfig is what a Journal is made of.
type JournalConfig struct {
	Log    Log
	Player Player
	Seed   uint64 // of the run
	// Keep is the number of newest games that Retain leaves in the log; 0 keeps all.
	Keep int
	// Model returns the model that has played a game of an earlier iteration, with its weights. The error wraps fs.ErrNotExist if the
	// model does not exist any more.
	Model  func(number uint64) (model uint64, w *net.Weights, err error)
	Report func(error) // is called with damage
}

// LocalWorker is the name in the log of the process that trains.
const LocalWorker = "local"

// NewJournal returns the journal of a run.
func NewJournal(cfg JournalConfig) *Journal { return &Journal{cfg} }

// Next implements GameSource: the player plays those games that the log does not hold.
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

// replaceFalse has games of workers that sent false ones played again: the games of this iteration, in games, and those
// that the windows of the last two checkpoints need. It reports whether there were any of the latter.
func (j *Journal) replaceFalse(ctx context.Context, r Request, games map[uint64]*replay.Record) (replaced bool, err error) {
	player, ok := j.cfg.Player.(Distrustful)
	if !ok {
		return false, nil
	}
	for caught := player.Caught(); len(caught) > 0; caught = player.Caught() { // playing again may find out others
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

// Recent implements GameSource. Games that the log has lost are played again if their model still exists.
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

// again has games of earlier iterations played again, by their models, and adds them to games. It reports those whose models do not exist
// any more.
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

// read returns the intact games in [first, end) by number, and reports the others.
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

// play has the missing games played and stored, and adds them to games. It calls progress after each transaction. What is finished when
// ctx is cancelled is stored as well.
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
		return stats, failed // the player has failed for no other reason
	}
	return stats, err
}

// absent lists the numbers in [first, end) that games does not have.
func absent(games map[uint64]*replay.Record, first, end uint64) (numbers []uint64) {
	for n := first; n < end; n++ {
		if games[n] == nil {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// inOrder returns the games in the order of their numbers.
func inOrder(games map[uint64]*replay.Record) []*replay.Record {
	list := make([]*replay.Record, 0, len(games))
	for _, g := range games {
		list = append(list, g)
	}
	slices.SortFunc(list, func(a, b *replay.Record) int { return cmp.Compare(a.Number, b.Number) })
	return list
}

package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"tengen/net"
	"tengen/replay"
	"tengen/selfplay"
	"tengen/train/checkpoint"
)

// Log stores games by number, see gamesdb.DB.
type Log interface {
	Put(ctx context.Context, games ...replay.Entry) error
	Read(ctx context.Context, first, end uint64, yield func(replay.Entry) error) error
	Drop(ctx context.Context, below uint64) error
	// AddOrigin stores which run the games are of, or returns an error if the log says otherwise.
	AddOrigin(ctx context.Context, origin map[string]string) error
	Forget(ctx context.Context, model uint64) error
}

// LocalGames is a GameSource that logs games in the run directory. With n games per iteration, iteration i has games
// (i-1)n to in-1, and a cursor is the next game's number. The log alone decides which games are missing, so no stored
// game is played twice. Only Retain may run concurrently with another method.
type LocalGames struct {
	Log    Log
	Player selfplay.Player
	// Banned returns the workers that were banned for forged games since the last call. None of their games may be
	// used. nil: there are no workers.
	Banned func() []string
	Seed   uint64
	// Keep is the minimum number of newest games that Retain leaves in the log; 0 keeps all.
	Keep int
	// Model returns the model that played an earlier game. The error wraps fs.ErrNotExist if it no longer exists.
	Model  func(number uint64) (model uint64, w *net.Weights, err error)
	Report func(error) // called for damaged, lost or forged games
}

// Next implements GameSource. The player plays only games missing from the log.
func (l *LocalGames) Next(ctx context.Context, r Request) (Played, error) {
	played := Played{Cursor: r.After + uint64(r.Games)}
	games, err := l.read(ctx, r.After, played.Cursor)
	if err != nil {
		return Played{}, err
	}
	for _, g := range inOrder(games) {
		if g.Model != r.Model {
			return Played{}, fmt.Errorf("game %d in the log was played by model %d, but the checkpoint says model %d: %s", g.Number, g.Model, r.Model, misfit)
		}
	}
	if err := l.Log.AddOrigin(ctx, map[string]string{checkpoint.ModelName(int(r.Model)): r.SHA256}); err != nil {
		return Played{}, err
	}
	r.Progress(len(games))
	played.Stats, err = l.play(ctx, r.Model, r.Weights, absent(games, r.After, played.Cursor), games, func() { r.Progress(len(games)) })
	if err != nil {
		return Played{}, err
	}
	if played.Replaced, err = l.replaceForged(ctx, r, games); err != nil {
		return Played{}, err
	}
	played.Games = inOrder(games)
	return played, nil
}

// replaceForged plays all games of forging workers again. It replaces this iteration's in games, and older ones in the
// windows of the last two checkpoints. It reports whether there were older ones.
func (l *LocalGames) replaceForged(ctx context.Context, r Request, games map[uint64]*replay.Record) (replaced bool, err error) {
	if l.Banned == nil {
		return false, nil
	}
	for banned := l.Banned(); len(banned) > 0; banned = l.Banned() { // playing again may detect more
		var numbers []uint64
		var oldest uint64 // model of the first of these games
		err := l.Log.Read(ctx, r.Needed, r.After+uint64(r.Games), func(e replay.Entry) error {
			if e.Game == nil || !slices.Contains(banned, e.Worker) {
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
			l.Report(fmt.Errorf("%s sent forged games, and the models after model %d may have learned from them: %d games are played again",
				strings.Join(banned, ", "), oldest, len(numbers)))
		}
		if err := l.again(ctx, numbers[:earlier], map[uint64]*replay.Record{}); err != nil {
			return false, err
		}
		if _, err := l.play(ctx, r.Model, r.Weights, numbers[earlier:], games, func() {}); err != nil {
			return false, err
		}
	}
	return replaced, nil
}

const misfit = "the game log and the checkpoint do not belong together: " +
	"restore both from the same copy, or start a new run in another directory"

// Recent implements GameSource. Games lost from the log are played again if their model still exists.
func (l *LocalGames) Recent(ctx context.Context, cursor uint64, n int) ([]*replay.Record, error) {
	first := cursor - min(cursor, uint64(n))
	games, err := l.read(ctx, first, cursor)
	if err != nil {
		return nil, err
	}
	if lost := absent(games, first, cursor); len(lost) > 0 {
		l.Report(fmt.Errorf("%d games from %d to %d are lost: their models play them again", len(lost), lost[0], lost[len(lost)-1]))
		if err := l.again(ctx, lost, games); err != nil {
			return nil, err
		}
	}
	return inOrder(games), nil
}

// again has games of earlier iterations played again by the same models and adds them to games. It reports games whose
// model no longer exists.
func (l *LocalGames) again(ctx context.Context, numbers []uint64, games map[uint64]*replay.Record) error {
	for len(numbers) > 0 {
		model, w, err := l.Model(numbers[0])
		if errors.Is(err, fs.ErrNotExist) {
			l.Report(fmt.Errorf("game %d cannot be played again, because its model no longer exists: %w", numbers[0], err))
			numbers = numbers[1:]
			continue
		}
		if err != nil {
			return fmt.Errorf("game %d cannot be played again: %w", numbers[0], err)
		}
		same := 1
		for same < len(numbers) {
			if m, _, err := l.Model(numbers[same]); err != nil || m != model {
				break
			}
			same++
		}
		if _, err := l.play(ctx, model, w, numbers[:same], games, func() {}); err != nil {
			return err
		}
		numbers = numbers[same:]
	}
	return nil
}

// Forget implements GameSource.
func (l *LocalGames) Forget(ctx context.Context, model uint64) error { return l.Log.Forget(ctx, model) }

// Retain implements GameSource.
func (l *LocalGames) Retain(ctx context.Context, needed, next uint64) error {
	keep := uint64(l.Keep)
	if keep == 0 || next <= keep {
		return nil
	}
	return l.Log.Drop(ctx, min(needed, next-keep))
}

// read returns the intact games in [first, end) by number, and reports damaged ones.
func (l *LocalGames) read(ctx context.Context, first, end uint64) (games map[uint64]*replay.Record, err error) {
	games = map[uint64]*replay.Record{}
	err = l.Log.Read(ctx, first, end, func(e replay.Entry) error {
		switch {
		case e.Err != nil:
			l.Report(e.Err)
		case e.Game.Seed != l.Seed:
			return fmt.Errorf("game %d in the log is from a run with seed %d, but this one has seed %d: %s", e.Number, e.Game.Seed, l.Seed, misfit)
		default:
			games[e.Number] = e.Game
		}
		return nil
	})
	return games, err
}

// play has the missing games played and stored, and adds them to games. It calls progress after each transaction. If
// ctx ends, it still stores finished games.
func (l *LocalGames) play(
	ctx context.Context, model uint64, w *net.Weights, missing []uint64, games map[uint64]*replay.Record, progress func(),
) (replay.Stats, error) {
	if len(missing) == 0 {
		return replay.Stats{}, nil
	}
	r := newRecorder(context.WithoutCancel(ctx), l.Log, missing, func(stored []replay.Entry) {
		for _, e := range stored {
			games[e.Number] = e.Game
		}
		progress()
	})
	stats, err := l.Player.Play(ctx, model, w, selfplay.Numbers(missing), r)
	failed := r.close()
	stats.Log = r.took
	return stats, cmp.Or(failed, err) // failed is the cause of the player's error
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
	return slices.SortedFunc(maps.Values(games), func(a, b *replay.Record) int { return cmp.Compare(a.Number, b.Number) })
}

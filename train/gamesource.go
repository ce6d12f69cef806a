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
	Remove(ctx context.Context, numbers ...uint64) error
	// AddOrigin stores which run the games are of, or returns an error if the log says otherwise.
	AddOrigin(ctx context.Context, origin map[string]string) error
	Forget(ctx context.Context, model uint64) error
}

// order asks for the games of an iteration.
type order struct {
	model   checkpoint.ModelFile // to play with
	weights *net.Weights         // the model's, read-only
	after   uint64               // number of the first game
	games   int
	needed  uint64 // number of the oldest game in the windows of the last two checkpoints
	// progress is called with the number of games stored, which includes the games of earlier processes.
	progress func(done int)
}

// delivery is the games of an iteration.
type delivery struct {
	games []*replay.Record // in window order
	stats replay.Stats     // excludes games of earlier processes
	// removed reports that forged games before order.after have been removed from the log: call recent again.
	removed bool
}

// gameSource has games played and logs them in the run directory. With n games per iteration, iteration i has games
// (i-1)n to in-1. The log alone decides which games are missing, so an intact game is played again only if its
// worker was banned. The games depend only on the order and the run's seed. Only retain may run concurrently with
// another method.
type gameSource struct {
	log    Log
	player selfplay.Player
	banned func() []string // see Setup.Banned
	seed   uint64
	keep   int // see Setup.KeepGames
	// model returns the model that played an earlier game. The error wraps fs.ErrNotExist if it no longer exists.
	model  func(number uint64) (model uint64, w *net.Weights, err error)
	report func(error) // called for damaged, lost or forged games
}

// next returns the games of an iteration. The player plays only games missing from the log.
func (s *gameSource) next(ctx context.Context, o order) (d delivery, err error) {
	model, end := uint64(o.model.Iteration), o.after+uint64(o.games)
	games, err := s.read(ctx, o.after, end)
	if err != nil {
		return d, err
	}
	for _, g := range inOrder(games) {
		if g.Model != model {
			return d, fmt.Errorf("game %d in the log was played by model %d, but the checkpoint says model %d: %s",
				g.Number, g.Model, model, misfit)
		}
	}
	if err := s.log.AddOrigin(ctx, map[string]string{checkpoint.ModelName(o.model.Iteration): o.model.SHA256}); err != nil {
		return d, err
	}
	o.progress(len(games))
	progress := func() { o.progress(len(games)) }
	d.stats, err = s.play(ctx, model, o.weights, absent(games, o.after, end), games, progress)
	for {
		banned, earlier, failed := s.removeForged(context.WithoutCancel(ctx), o, games)
		d.removed = d.removed || earlier
		if err = cmp.Or(err, failed); err != nil {
			return d, err
		}
		if !banned {
			break
		}
		_, err = s.play(ctx, model, o.weights, absent(games, o.after, end), games, func() {}) // may detect more
	}
	d.games = inOrder(games)
	return d, nil
}

// removeForged removes the games of workers banned since its last call: from the log, as far back as the windows of the
// last two checkpoints reach, and from games. banned reports whether there are such workers, and earlier whether games
// of earlier iterations were removed.
func (s *gameSource) removeForged(ctx context.Context, o order, games map[uint64]*replay.Record) (banned, earlier bool, err error) {
	if s.banned == nil {
		return false, false, nil
	}
	workers := s.banned()
	if len(workers) == 0 {
		return false, false, nil
	}
	var numbers []uint64
	var oldest uint64 // model of the first of these games
	err = s.log.Read(ctx, o.needed, o.after+uint64(o.games), func(e replay.Entry) error {
		if e.Game == nil || !slices.Contains(workers, e.Worker) {
			return nil
		}
		if numbers = append(numbers, e.Number); len(numbers) == 1 {
			oldest = e.Game.Model
		}
		delete(games, e.Number)
		return nil
	})
	if err != nil || len(numbers) == 0 {
		return true, false, err
	}
	if before, _ := slices.BinarySearch(numbers, o.after); before > 0 {
		earlier = true
		s.report(fmt.Errorf("%s sent forged games, and the models after model %d may have learned from them: "+
			"%d games are removed", strings.Join(workers, ", "), oldest, before))
	}
	return true, earlier, s.log.Remove(ctx, numbers...)
}

const misfit = "the game log and the checkpoint do not belong together: " +
	"restore both from the same copy, or start a new run in another directory"

// recent returns the n games of a window from number first up to end, in window order. If the log has fewer, the lost
// ones are played again, as far as their models still exist.
func (s *gameSource) recent(ctx context.Context, first, end uint64, n int) ([]*replay.Record, error) {
	games, err := s.read(ctx, first, end)
	if err != nil {
		return nil, err
	}
	if len(games) < n {
		lost := absent(games, first, end)
		s.report(fmt.Errorf("%d games from %d to %d are lost: their models play them again",
			len(lost), lost[0], lost[len(lost)-1]))
		if err := s.again(ctx, lost, games); err != nil {
			return nil, err
		}
	}
	return inOrder(games), nil
}

// again has games of earlier iterations played again by the same models and adds them to games. It reports how many have
// a model that no longer exists.
func (s *gameSource) again(ctx context.Context, numbers []uint64, games map[uint64]*replay.Record) error {
	gone, cause := 0, error(nil)
	for len(numbers) > 0 {
		model, w, err := s.model(numbers[0])
		if errors.Is(err, fs.ErrNotExist) {
			numbers, gone, cause = numbers[1:], gone+1, err
			continue
		}
		if err != nil {
			return fmt.Errorf("game %d cannot be played again: %w", numbers[0], err)
		}
		same := 1
		for same < len(numbers) {
			if m, _, err := s.model(numbers[same]); err != nil || m != model {
				break
			}
			same++
		}
		if _, err := s.play(ctx, model, w, numbers[:same], games, func() {}); err != nil {
			return err
		}
		numbers = numbers[same:]
	}
	if gone > 0 {
		s.report(fmt.Errorf("%d games cannot be played again, because their models no longer exist: %w", gone, cause))
	}
	return nil
}

// retain may drop games below needed; next is the first game after the last committed iteration.
func (s *gameSource) retain(ctx context.Context, needed, next uint64) error {
	keep := uint64(s.keep)
	if keep == 0 || next <= keep {
		return nil
	}
	return s.log.Drop(ctx, min(needed, next-keep))
}

// read returns the intact games in [first, end) by number, and reports damaged ones.
func (s *gameSource) read(ctx context.Context, first, end uint64) (games map[uint64]*replay.Record, err error) {
	games = map[uint64]*replay.Record{}
	err = s.log.Read(ctx, first, end, func(e replay.Entry) error {
		switch {
		case e.Err != nil:
			s.report(e.Err)
		case e.Game.Seed != s.seed:
			return fmt.Errorf("game %d in the log is from a run with seed %d, but this one has seed %d: %s",
				e.Number, e.Game.Seed, s.seed, misfit)
		default:
			games[e.Number] = e.Game
		}
		return nil
	})
	return games, err
}

// play has the missing games played and stored, and adds them to games. It calls progress after each transaction. If
// ctx ends, it still stores finished games.
func (s *gameSource) play(
	ctx context.Context, model uint64, w *net.Weights, missing []uint64, games map[uint64]*replay.Record, progress func(),
) (replay.Stats, error) {
	if len(missing) == 0 {
		return replay.Stats{}, nil
	}
	r := newRecorder(context.WithoutCancel(ctx), s.log, missing, func(stored []replay.Entry) {
		for _, e := range stored {
			games[e.Number] = e.Game
		}
		progress()
	})
	stats, err := s.player.Play(ctx, model, w, selfplay.Numbers(missing), r)
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

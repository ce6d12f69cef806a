package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync"

	"golang.org/x/sync/errgroup"

	"tengen/net"
	"tengen/replay"
)

// Player plays games on this machine.
type Player interface {
	// Generate plays the games with these numbers, with the weights of the given model, and tells finished of each as it
	// ends, possibly from several goroutines at once; its error ends the work. A game depends on its number, the model and
	// the run's seed alone.
	Generate(ctx context.Context, model uint64, w *net.Weights, numbers []uint64, finished func(*replay.Record) error) (replay.Stats, error)
}

// Log is what a Journal needs of a replay.Log.
type Log interface {
	Append(ctx context.Context, worker string, g *replay.Record) (sequence uint64, err error)
	Read(ctx context.Context, after uint64, yield func(replay.Entry) error) error
	Flush(ctx context.Context) error
	Retain(ctx context.Context, positions int) error
}

// Journal is the GameSource of a run that plays its games itself: iteration i of n games has the games with the numbers from
// (i-1)n to in-1, and a cursor is the number of the next game. Each game is appended to a log the moment it ends. So what a
// killed process had finished is found there and not played again, and the window is filled from there. A Journal is not safe
// for concurrent use.
type Journal struct {
	log    Log
	player Player
	seed   uint64
	report func(replay.Entry)

	read    uint64                    // sequence number of the last entry taken from the log, or put there
	games   map[uint64]*replay.Record // by number: read, and not handed out yet
	damaged int                       // entries without a game
	longest int                       // positions of the longest game
	slack   int                       // see Retain
}

// LocalWorker is the name in the log of the process that plays by itself.
const LocalWorker = "local"

// NewJournal returns the journal of the run with the given seed. report is called with the entries of the log that hold no
// usable game.
func NewJournal(log Log, player Player, seed uint64, report func(replay.Entry)) *Journal {
	return &Journal{log: log, player: player, seed: seed, report: report, games: map[uint64]*replay.Record{}}
}

// Next implements GameSource: it has those games played that the log does not hold.
func (j *Journal) Next(ctx context.Context, r Request) (Batch, error) {
	if err := j.catchUp(ctx); err != nil {
		return Batch{}, err
	}
	b := Batch{Cursor: r.After + uint64(r.Games)}
	var missing []uint64
	for number := r.After; number < b.Cursor; number++ {
		if g := j.games[number]; g == nil {
			missing = append(missing, number)
		} else if g.Model != r.Model {
			return Batch{}, fmt.Errorf("game %d in the log was played by model %d, the checkpoint says model %d: %s",
				number, g.Model, r.Model, misfit)
		}
	}
	r.Progress(r.Games - len(missing))
	if len(missing) > 0 {
		var err error
		if b.Stats, err = j.play(ctx, r, missing); err != nil {
			return Batch{}, err
		}
	}
	if err := j.log.Flush(ctx); err != nil { // a checkpoint never counts a game of whose loss nobody would know
		return Batch{}, err
	}
	b.Games = j.take(r.After, b.Cursor)
	j.slack = (r.Games+j.damaged)*j.longest + 1
	return b, nil
}

const misfit = "the log of games and the checkpoint do not belong together: " +
	"restore both from the same copy, or start a new run in another directory"

// Appending waits for the disk, playing should not wait for that: so goroutines append, and games queue for them. There are many,
// because a log keeps games together that come together. A kill may lose no more games than these.
const (
	appenders   = 256
	queueLength = 64
)

// play has the missing games played and counts each as soon as it is in the log. What is finished when ctx is cancelled is
// kept as well.
func (j *Journal) play(ctx context.Context, r Request, missing []uint64) (replay.Stats, error) {
	finished := make(chan *replay.Record, queueLength)
	var mu sync.Mutex
	done := r.Games - len(missing)
	appending, failed := errgroup.WithContext(context.WithoutCancel(ctx))
	for range appenders {
		appending.Go(func() error {
			for g := range finished {
				sequence, err := j.log.Append(failed, LocalWorker, g)
				if err != nil {
					return fmt.Errorf("cannot keep game %d in the log: %w; the run goes on from the games before it when the cause is mended",
						g.Number, err)
				}
				mu.Lock()
				j.read = max(j.read, sequence)
				j.keep(g)
				done++
				r.Progress(done)
				mu.Unlock()
			}
			return nil
		})
	}
	stats, err := j.player.Generate(ctx, r.Model, r.Weights, missing, func(g *replay.Record) error {
		select {
		case finished <- g:
			return nil
		case <-failed.Done():
			return context.Cause(failed)
		}
	})
	close(finished)
	if failure := appending.Wait(); failure != nil {
		return replay.Stats{}, failure
	}
	return stats, err
}

// Recent implements GameSource. It is an error if more games are lost than the log has damaged entries: it is another log then.
func (j *Journal) Recent(ctx context.Context, cursor uint64, _ json.RawMessage, n int) ([]*replay.Record, error) {
	if err := j.catchUp(ctx); err != nil {
		return nil, err
	}
	games := j.take(cursor-min(cursor, uint64(n+j.damaged)), cursor)
	games = games[max(0, len(games)-n):]
	if lost := n - len(games); lost > j.damaged {
		return nil, fmt.Errorf("of the %d games before game %d, which the window needs, the log does not hold %d: %s", n, cursor, lost, misfit)
	}
	return games, nil
}

// Retain implements GameSource. It keeps more than the positions asked for, because the log has games in the order in which
// they ended, not in that of their numbers. Newer there than the oldest game that is needed are, beside those needed,
//
//	games of its own iteration      fewer than Request.Games
//	games that were played again    at most damaged
//
// none of them longer than longest. Invariant: slack > their number * longest.
func (j *Journal) Retain(ctx context.Context, positions int) error {
	return j.log.Retain(ctx, positions+j.slack)
}

// catchUp reads what the log holds beyond what was read or put there so far.
func (j *Journal) catchUp(ctx context.Context) error {
	return j.log.Read(ctx, j.read, func(e replay.Entry) error {
		j.read = e.Sequence
		if errors.Is(e.Err, replay.ErrDuplicate) {
			return nil
		}
		if e.Err != nil {
			j.damaged++
			j.report(e)
			return nil
		}
		if e.Game.Seed != j.seed {
			return fmt.Errorf("game %d in the log is of a run with seed %d, this one has seed %d: %s", e.Game.Number, e.Game.Seed, j.seed, misfit)
		}
		j.keep(e.Game)
		return nil
	})
}

func (j *Journal) keep(g *replay.Record) {
	j.games[g.Number] = g
	j.longest = max(j.longest, g.Positions())
}

// take hands out the games that there are with numbers in [first, end), and forgets all games before end.
func (j *Journal) take(first, end uint64) (games []*replay.Record) {
	for number := first; number < end; number++ {
		if g := j.games[number]; g != nil {
			games = append(games, g)
		}
	}
	maps.DeleteFunc(j.games, func(number uint64, _ *replay.Record) bool { return number < end })
	return games
}

package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"tengen/cluster/natslog"
	"tengen/replay"
)

// This file finds again, in the log and in a checkpoint, what a Coordinator took before, and drops what nobody needs any more.

// notes are those of a train.Batch: what cannot be found out again about the games up to its cursor.
type notes struct {
	Skipped skips `json:"skipped"`
}

// Skipped says which entries of the log, up to the cursor of a batch, were not taken, by its notes.
func Skipped(noted json.RawMessage) (func(sequence uint64) bool, error) {
	skipped, err := readNotes(noted)
	return skipped.has, err
}

func readNotes(noted json.RawMessage) (skips, error) {
	var past notes
	err := json.Unmarshal(noted, &past)
	return past.Skipped, err
}

// Recent implements train.GameSource.
func (c *Coordinator) Recent(ctx context.Context, cursor uint64, noted json.RawMessage, n int) (games []*replay.Record, err error) {
	if c.skipped, err = c.recall(ctx, noted); err != nil {
		return nil, err
	}
	last, err := c.log.Last(ctx)
	if err != nil {
		return nil, err
	}
	if last < cursor {
		return nil, fmt.Errorf("the checkpoint was made after game %d of the log, which ends with game %d: "+
			"they do not belong together; restore both from the same copy, or start a new run in another directory", cursor, last)
	}
	c.cursor = cursor
	losses := newSummary(c.cfg.Report)
	err = c.log.Read(ctx, 0, func(e replay.Entry) error {
		if e.Sequence > cursor {
			return errEnough
		}
		if c.skipped.has(e.Sequence) {
			return nil
		}
		if errors.Is(e.Err, replay.ErrVersion) {
			return e.Err // it was taken, so by a later version of the program
		}
		if e.Err == nil {
			e.Err = c.checkGame(e.Game)
		}
		if e.Err != nil {
			losses.add(e.Err)
			return nil
		}
		c.newest.Store(&e)
		if games = append(games, e.Game); len(games) > 2*n {
			games = slices.Delete(games, 0, len(games)-n)
		}
		return nil
	})
	losses.end()
	if err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	return games[max(0, len(games)-n):], nil
}

// recall returns what was skipped, as it stands in the notes of a checkpoint. A run of an earlier version has it on the server.
func (c *Coordinator) recall(ctx context.Context, noted json.RawMessage) (skips, error) {
	if noted != nil {
		return readNotes(noted)
	}
	var sequences []uint64
	err := c.bucket.Get(ctx, skippedKey, &sequences)
	switch {
	case errors.Is(err, natslog.ErrNoEntry):
		return nil, nil
	case errors.Is(err, replay.ErrDamaged):
		c.cfg.Report(fmt.Errorf("%w: games that were refused before may be among those of the window", err))
		return nil, nil
	}
	return newSkips(sequences), err
}

// Retain implements train.GameSource. Games that were skipped, or wait for the next iteration, do not count.
func (c *Coordinator) Retain(ctx context.Context, positions int) error {
	oldest, err := c.log.RetainCounted(ctx, max(positions, 1), func(sequence uint64) bool {
		return sequence <= c.cursor && !c.skipped.has(sequence)
	})
	if err != nil {
		return err
	}
	c.skipped.trim(oldest)
	return nil
}

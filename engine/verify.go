package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"tengen/cluster"
	"tengen/replay"
	"tengen/train/rundir"
)

// Verification is what was read of a run directory, and what is wrong with it.
type Verification struct {
	Games    int      `json:"games"` // intact ones
	Files    int      `json:"files"` // checkpoints, models and what belongs to them, intact or not
	Problems []Defect `json:"problems"`
	// NoGames counts the messages of workers that never were games, by worker. They are passed over and do no harm.
	NoGames map[string]int `json:"no_games"`
}

// Defect is about a sequence number of the log, about a file, or about something that the log's server reported.
type Defect struct {
	Sequence uint64 `json:"sequence,omitempty"`
	File     string `json:"file,omitempty"`
	Text     string `json:"problem"`
}

// VerifyRun reads every game, checkpoint and model of the run in a directory. It changes nothing, but for what the log's
// server repairs when it opens its files, which is a defect too.
func VerifyRun(ctx context.Context, dir string) (*Verification, error) {
	v := &Verification{Problems: []Defect{}, NoGames: map[string]int{}}
	var mu sync.Mutex // the log's server has goroutines of its own
	note := func(d Defect) {
		mu.Lock()
		defer mu.Unlock()
		v.Problems = append(v.Problems, d)
	}
	run, err := OpenRun(ctx, dir, func(message string) { note(Defect{Text: message}) })
	if err != nil {
		return nil, err
	}
	defer run.Close()
	files, newest, err := rundir.Verify(dir)
	if err != nil {
		return nil, err
	}
	v.Files = len(files)
	for _, f := range files {
		if f.Err != nil {
			note(Defect{File: f.File, Text: f.Err.Error()})
		}
	}
	needed, err := takenBy(newest)
	if err != nil {
		return nil, err
	}
	err = run.Read(ctx, 0, func(e replay.Entry) error {
		switch err := run.Check(e); {
		case err == nil:
			v.Games++
		case errors.Is(err, replay.ErrDuplicate): // a game sent twice is there all the same
		case neverGame(e) && !needed(e.Sequence):
			v.NoGames[e.Worker]++
		default:
			note(Defect{Sequence: e.Sequence, Text: err.Error()})
		}
		return nil
	})
	return v, err
}

// neverGame reports whether an entry is a message that was no game when a worker sent it. The log's server has a checksum of each
// message, so one that was damaged later is missing.
func neverGame(e replay.Entry) bool {
	return e.Worker != "" && (errors.Is(e.Err, replay.ErrDamaged) || errors.Is(e.Err, replay.ErrVersion))
}

// takenBy says which entries of the log a run goes on with after a checkpoint, nil for none. A run that plays its games itself finds
// them by their numbers, and needs nothing of workers.
func takenBy(c *rundir.Checkpoint) (func(sequence uint64) bool, error) {
	if c == nil || c.Source == nil {
		return func(uint64) bool { return false }, nil
	}
	skipped, err := cluster.Skipped(c.Source)
	return func(sequence uint64) bool { return sequence <= c.Cursor && !skipped(sequence) }, err
}

// Text is the report for people, a line for each problem and each worker that has sent what is no game, and one that sums up.
func (v *Verification) Text(dir string) string {
	var b strings.Builder
	for _, p := range v.Problems {
		fmt.Fprintln(&b, strings.ReplaceAll(p.Text, "\n", "; "))
	}
	for _, worker := range slices.Sorted(maps.Keys(v.NoGames)) {
		fmt.Fprintf(&b, "worker %s has sent %s that no game is in: passed over, no harm to the run\n", worker, Plural(v.NoGames[worker], "message"))
	}
	fmt.Fprintf(&b, "%s: %s intact, %s read, %s\n", dir, Plural(v.Games, "game"), Plural(v.Files, "file"), Plural(len(v.Problems), "problem"))
	return b.String()
}

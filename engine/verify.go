package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"tengen/replay"
	"tengen/train/rundir"
)

// Verification is what was read of a run directory, and what is wrong with it.
type Verification struct {
	Games    int      `json:"games"` // intact ones
	Files    int      `json:"files"` // checkpoints, models and what belongs to them, intact or not
	Problems []Defect `json:"problems"`
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
	v := &Verification{Problems: []Defect{}}
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
	files, err := rundir.Verify(dir)
	if err != nil {
		return nil, err
	}
	v.Files = len(files)
	for _, f := range files {
		if f.Err != nil {
			note(Defect{File: f.File, Text: f.Err.Error()})
		}
	}
	err = run.Read(ctx, 0, func(e replay.Entry) error {
		switch err := run.Check(e); {
		case err == nil:
			v.Games++
		case !errors.Is(err, replay.ErrDuplicate): // a game sent twice is there all the same
			note(Defect{Sequence: e.Sequence, Text: err.Error()})
		}
		return nil
	})
	return v, err
}

// Text is the report for people, a line for each problem and one that sums up.
func (v *Verification) Text(dir string) string {
	var b strings.Builder
	for _, p := range v.Problems {
		fmt.Fprintln(&b, strings.ReplaceAll(p.Text, "\n", "; "))
	}
	fmt.Fprintf(&b, "%s: %s intact, %s read, %s\n", dir, Plural(v.Games, "game"), Plural(v.Files, "file"), Plural(len(v.Problems), "problem"))
	return b.String()
}

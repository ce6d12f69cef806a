package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/spf13/cobra"

	"tengen/replay"
	"tengen/train/rundir"
)

func newReplayVerify() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "verify DIR",
		Short: "Check every game, checkpoint and model of a run",
		Long: "verify reads every game of a run, and every checkpoint and model, and lists what is damaged, missing or against\n" +
			"the rules of the game. It ends with exit status 1 if there is anything of that kind. It changes nothing, but for what\n" +
			"the log's server repairs when it opens its files: that is listed as well.",
		Example: "  tengen replay verify checkpoints/connect4",
		Args:    exactArgs("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			v, err := verifyRun(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if asJSON {
				err = json.NewEncoder(cmd.OutOrStdout()).Encode(v)
			} else {
				err = v.print(cmd.OutOrStdout(), args[0])
			}
			if n := len(v.Problems); err == nil && n > 0 {
				return fmt.Errorf("%s is not intact: %s", args[0], count(n, "problem"))
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	return cmd
}

// verification is what was read of a run directory, and what is wrong with it.
type verification struct {
	Games    int       `json:"games"` // intact ones
	Files    int       `json:"files"` // checkpoints, models and what belongs to them, intact or not
	Problems []problem `json:"problems"`
}

// problem is about a sequence number of the log, about a file, or about something that the log's server reported.
type problem struct {
	Sequence uint64 `json:"sequence,omitempty"`
	File     string `json:"file,omitempty"`
	Text     string `json:"problem"`
}

func verifyRun(ctx context.Context, dir string) (*verification, error) {
	v := &verification{Problems: []problem{}}
	var mu sync.Mutex // the log's server has goroutines of its own
	note := func(p problem) {
		mu.Lock()
		defer mu.Unlock()
		v.Problems = append(v.Problems, p)
	}
	p, log, err := openRun(ctx, dir, func(message string) { note(problem{Text: message}) })
	if err != nil {
		return nil, err
	}
	defer log.Close()
	files, err := rundir.Verify(dir)
	if err != nil {
		return nil, err
	}
	v.Files = len(files)
	for _, f := range files {
		if f.Err != nil {
			note(problem{File: f.File, Text: f.Err.Error()})
		}
	}
	err = log.Read(ctx, 0, func(e replay.Entry) error {
		switch err := usable(p, e); {
		case err == nil:
			v.Games++
		case !errors.Is(err, replay.ErrDuplicate): // a game sent twice is there all the same
			note(problem{Sequence: e.Sequence, Text: err.Error()})
		}
		return nil
	})
	return v, err
}

func (v *verification) print(w io.Writer, dir string) error {
	for _, p := range v.Problems {
		if _, err := fmt.Fprintln(w, oneLine(p.Text)); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%s: %s intact, %s read, %s\n", dir, count(v.Games, "game"), count(v.Files, "file"), count(len(v.Problems), "problem"))
	return err
}

func (b bound[S]) validate(g *replay.Record) error { return replay.Validate(b.game, g) }

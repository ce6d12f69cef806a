package run

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"

	"tengen/replay"
	"tengen/replay/gamesdb"
	"tengen/train/checkpoint"
)

// Verification is the result of VerifyRun.
type Verification struct {
	Games    int      `json:"games"` // intact
	Files    int      `json:"files"` // checkpoint files, intact or not
	Problems []Defect `json:"problems"`
}

// Defect is a damaged game or file.
type Defect struct {
	Game *uint64 `json:"game,omitempty"` // number
	File string  `json:"file,omitempty"`
	Text string  `json:"problem"`
}

// VerifyRun reads every game, checkpoint and model of a run, and checks that they are of one run. It changes nothing.
func VerifyRun(ctx context.Context, dir string) (*Verification, error) {
	cfg, e, err := ReadConfig(dir)
	if err != nil {
		return nil, err
	}
	games, err := gamesdb.OpenUntouched(ctx, dir, lockFile(dir))
	if err != nil {
		return nil, err
	}
	run, err := newRun(ctx, &Run{Game: e, Config: cfg, log: games, close: games.Close})
	if err != nil {
		return nil, err
	}
	defer run.Close()
	origin, strange := games.Origin(ctx)
	files, newest, err := checkpoint.Verify(dir, origin)
	if err != nil {
		return nil, err
	}
	v := &Verification{Files: len(files), Problems: []Defect{}}
	strange = cmp.Or(strange, games.CheckOrigin(ctx, cfg.immutableSettings()), games.CheckOrigin(ctx, newest.KnownModels(dir)))
	if strange != nil {
		v.Problems = append(v.Problems, Defect{File: filepath.Join(dir, gamesdb.FileName), Text: strange.Error()})
	}
	for _, f := range files {
		if f.Err != nil {
			v.Problems = append(v.Problems, Defect{File: f.File, Text: f.Err.Error()})
		}
	}
	committed := uint64(0) // games below this number must exist; others are stored as they end
	if newest != nil {
		committed = newest.Games
	}
	// Another process may have committed games since the run was opened.
	run.end = max(run.end, committed)
	next, known := run.first, true // next number, unknown after an unreadable game
	checkGap := func(number uint64) {
		if missing, end := next, min(number, committed); missing < end && known {
			v.Problems = append(v.Problems, Defect{Game: &missing, Text: fmt.Sprintf("games %d to %d are missing", missing, end-1)})
		}
	}
	err = run.Read(ctx, run.first, func(e replay.Entry) error {
		checkGap(e.Number)
		next, known = e.Number+1, e.Err == nil
		if err := run.Check(e); err != nil {
			v.Problems = append(v.Problems, Defect{Game: &e.Number, Text: err.Error()})
			return nil
		}
		v.Games++
		return nil
	})
	if err == nil {
		checkGap(committed)
	}
	return v, err
}

// RepairRun copies readable games into a new database (see gamesdb.Repair) and returns their number. It calls report
// for each loss. No other process may use the run.
func RepairRun(ctx context.Context, dir string, report func(error)) (kept int, err error) {
	if _, _, err := ReadConfig(dir); err != nil {
		return 0, err
	}
	unlock, err := checkpoint.Lock(dir)
	if err != nil {
		return 0, err
	}
	defer unlock()
	return gamesdb.Repair(ctx, dir, report)
}

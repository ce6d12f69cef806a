package natslog

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"tengen/internal/disktest"
	"tengen/internal/fulltest"
	"tengen/internal/random"
	"tengen/replay"
	"tengen/replay/logtest"
)

// The log of keep.
const (
	keeperGames = 60 // appended before old ones are dropped, and half as many after
	keeperKeeps = 30
)

// keep appends games from four goroutines, drops old ones, and appends more. It prints number and sequence number of each that is
// acknowledged, and a word before it drops.
func keep() error {
	ctx := context.Background()
	s, l, err := openOwn(ctx)
	if err != nil {
		return err
	}
	appendPrinting(ctx, l, 4, 0, keeperGames)
	fmt.Println("dropping")
	err = l.Retain(ctx, keeperKeeps*damagedMoves)
	appendPrinting(ctx, l, 4, keeperGames, keeperGames*3/2)
	return errors.Join(err, l.Close(), s.Close())
}

// Wherever the power goes, what was acknowledged is in the log that a disk has which loses what was not synced, wholly or in
// part, but for the names of files, which it keeps in order.
func TestPowerLoss(t *testing.T) {
	fulltest.Only(t)
	t.Parallel()
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var calls []disktest.Call
	stderr, err := disktest.Run(t, dir, []string{self}, []string{"TENGEN_CHILD=keeper", "TENGEN_DIR=" + dir}, func(c disktest.Call) disktest.Verdict {
		calls = append(calls, c)
		return 0
	})
	if err != nil || stderr != "" {
		t.Fatal(err, stderr)
	}
	t.Logf("%d calls", len(calls))
	for round := range rounds(40, 400) {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			rng := random.New(4, random.Test, uint64(round))
			disk := disktest.Disk{Journalled: func(string) bool { return true }}
			acknowledged, dropping := map[uint64]uint64{}, false
			for _, c := range calls[:rng.IntN(len(calls)+1)] {
				disk.Apply(c)
				var number, sequence uint64
				if c.Kind != disktest.Print {
					continue
				}
				if _, err := fmt.Sscan(string(c.Data), &number, &sequence); err == nil {
					acknowledged[number] = sequence
				} else if strings.HasPrefix(string(c.Data), "dropping") {
					dropping = true
				}
			}
			if dropping {
				for number, sequence := range acknowledged {
					if sequence <= keeperGames-keeperKeeps {
						delete(acknowledged, number)
					}
				}
			}
			lost := filepath.Join(t.TempDir(), "lost")
			if err := disk.Lose(rng, lost); err != nil {
				t.Fatal(err)
			}
			if err := os.MkdirAll(lost, 0o755); err != nil {
				t.Fatal(err)
			}
			l := openLog(t, connect(t, startServer(t, ServerConfig{Dir: lost, Report: func(m string) { t.Log(m) }})), LogConfig{})
			for _, e := range logtest.Entries(t, l, 0) {
				switch {
				case errors.Is(e.Err, replay.ErrMissing): // one of a batch that was being written, unless it was acknowledged: see below
				case e.Err != nil:
					t.Error(e.Err)
				case !reflect.DeepEqual(e.Game, logtest.Game(e.Game.Number, damagedMoves)):
					t.Errorf("game %d has changed", e.Game.Number)
				case acknowledged[e.Game.Number] == e.Sequence:
					delete(acknowledged, e.Game.Number)
				}
			}
			if len(acknowledged) > 0 {
				t.Errorf("%d acknowledged games are lost: %v", len(acknowledged), acknowledged)
			}
			if _, err := l.Append(t.Context(), "w", logtest.Game(1000, damagedMoves)); err != nil {
				t.Error(err)
			}
		})
	}
}

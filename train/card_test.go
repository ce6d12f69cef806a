package train

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"tengen/net"
	"tengen/replay"
)

// cardPlayer is a player on a graphics card, which from a game on plays others than the processor.
type cardPlayer struct {
	fakePlayer
	wrong uint64 // the first game that it gets wrong
	erred bool
	lost  bool
}

// Verify notices that the last games were wrong.
func (p *cardPlayer) Verify() bool {
	p.lost = p.lost || p.erred
	return !p.lost
}

func (p *cardPlayer) Play(ctx context.Context, model uint64, w *net.Weights, next func() (uint64, bool), sink replay.Sink) (replay.Stats, error) {
	return p.fakePlayer.Play(ctx, model, w, next, liar{sink, p})
}

// liar passes games on, or others in their place.
type liar struct {
	replay.Sink
	of *cardPlayer
}

func (l liar) Keep(worker string, g *replay.Record) error {
	if !l.of.lost {
		worker = replay.CardWorker
		if g.Number >= l.of.wrong {
			l.of.erred = true
			g = fakeGame(g.Number, g.Model, 1)
		}
	}
	return l.Sink.Keep(worker, g)
}

func (j *LocalGames) on(p *cardPlayer) *LocalGames {
	j.Player, j.Verify, j.Processor = p, p.Verify, &fakePlayer{}
	return j
}

// wantWorkers checks who played how many of the games in the log.
func wantWorkers(t *testing.T, log *folderLog, want map[string]int) {
	t.Helper()
	got := map[string]int{}
	for _, e := range log.entries(t) {
		got[e.Worker]++
	}
	if !maps.Equal(got, want) {
		t.Errorf("the games are of %v, want %v", got, want)
	}
}

// Games of a card stand under its name until it has been verified, then under this process's. If it is lost, all of them
// are played again.
func TestGamesOfACard(t *testing.T) {
	const never = 1000
	for _, wrong := range []uint64{never, 0, 8} {
		log, under := newFolderLog(t), map[string]int{}
		p := &cardPlayer{wrong: wrong}
		b, err := testLocalGames(t, putLog{log, under}, nil).on(p).Next(t.Context(), testRequest(0, 100))
		if err != nil {
			t.Fatal(err)
		}
		wantGames(t, b.Games, 0, 100)
		wantWorkers(t, log, map[string]int{replay.LocalWorker: 100})
		if again := len(p.played) - 100; again != map[bool]int{true: 0, false: 100}[wrong == never] {
			t.Errorf("wrong from game %d on: %d games are played again", wrong, again)
		}
		if want := map[string]int{replay.CardWorker: 100, replay.LocalWorker: 100}; !maps.Equal(under, want) {
			t.Errorf("stored are games of %v, want %v", under, want)
		}
	}
}

// putLog counts the games that are put into a log, by their workers.
type putLog struct {
	Log
	of map[string]int
}

func (l putLog) Put(ctx context.Context, games ...replay.Entry) error {
	for _, e := range games {
		l.of[e.Worker]++
	}
	return l.Log.Put(ctx, games...)
}

// After a kill, some of the card's games are played again by the processor before any of them counts.
func TestGamesOfACardAfterAKill(t *testing.T) {
	for _, wrong := range []uint64{1000, 0} {
		log, reports := newFolderLog(t), 0
		killed := &cardPlayer{wrong: wrong}
		killed.fail = func(uint64) error {
			if len(killed.played) == 20 {
				return errKilled
			}
			return nil
		}
		if _, err := testLocalGames(t, log, nil).on(killed).Next(t.Context(), testRequest(0, 30)); !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		wantWorkers(t, log, map[string]int{replay.CardWorker: 20})
		j := testLocalGames(t, log, nil).on(&cardPlayer{wrong: 1000})
		j.Report = func(err error) {
			if reports++; !strings.Contains(err.Error(), "all 20 games that the graphics card played before the restart are played again") {
				t.Error(err)
			}
		}
		b, err := j.Next(t.Context(), testRequest(0, 30))
		if err != nil {
			t.Fatal(err)
		}
		wantGames(t, b.Games, 0, 30)
		wantWorkers(t, log, map[string]int{replay.LocalWorker: 30})
		checked, played, good := len(j.Processor.(*fakePlayer).played), len(j.Player.(*cardPlayer).played), wrong > 0
		if good && (checked != recheckGames || played != 10 || reports != 0) || !good && (checked == 0 || played != 30 || reports != 1) {
			t.Errorf("wrong from game %d on: %d games are checked, %d played, %d reports", wrong, checked, played, reports)
		}
	}
}

// Games of the window that were left under a card's name are played once more.
func TestRecentGamesOfACard(t *testing.T) {
	log := newFolderLog(t)
	for n := range uint64(6) {
		worker := replay.LocalWorker
		if n > 3 {
			worker = replay.CardWorker
		}
		if err := log.Put(t.Context(), replay.Entry{Number: n, Worker: worker, Game: fakeGame(n, 0, 1+uint64(n)/4)}); err != nil {
			t.Fatal(err)
		}
	}
	p := &fakePlayer{}
	j := &LocalGames{
		Log: log, Player: p, Seed: testSeed, Report: func(error) {},
		Model: func(uint64) (uint64, *net.Weights, error) { return 0, testWeights(), nil },
	}
	if _, err := j.Recent(t.Context(), 6, 6); err != nil || !slices.Equal(slices.Sorted(slices.Values(p.played)), []uint64{4, 5}) {
		t.Errorf("played %v, error %v", p.played, err)
	}
}

// A card that gets games wrong, at once or ahead of the learning, leaves the same files as none, also after kills.
func TestRunWithACardThatErrs(t *testing.T) {
	for ahead := range 2 {
		want := t.TempDir()
		plain := newRun()
		plain.ahead = ahead
		if err := plain.in(t, want); err != nil {
			t.Fatal(err)
		}
		for wrong := range uint64(9) {
			path := t.TempDir()
			for kills := range 3 { // the last process ends the run
				r := newRun()
				r.ahead, r.card = ahead, &cardPlayer{wrong: wrong}
				if kills < 2 {
					r.arena.fail = func() error { return errKilled }
					r.cfg.EvaluateEvery = 1
					r.before = func(string) error { return nil }
				}
				if err := r.in(t, path); err != nil && !errors.Is(err, errKilled) {
					t.Fatal(err)
				}
			}
			if got := contents(t, path); !maps.Equal(got, contents(t, want)) {
				t.Errorf("ahead %d, wrong from game %d on: the files differ", ahead, wrong)
			}
		}
	}
}

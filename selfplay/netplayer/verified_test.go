package netplayer

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"tengen/replay"
	"tengen/selfplay"
)

// Of a device that fails in a sample, no game counts that came after the sample before. The processor plays these games,
// and those that had not begun. The model of a game here says who has played it.
func TestGamesOfALostDevice(t *testing.T) {
	const device, processor = 1, 2
	all := []uint64{3, 4, 5, 6, 7, 8}
	for _, test := range []struct {
		failing int               // the number of the sample in which the device fails
		want    map[uint64]uint64 // who has played the games
	}{
		{0, map[uint64]uint64{3: processor, 4: processor, 5: processor, 6: processor, 7: processor, 8: processor}},
		{1, map[uint64]uint64{3: device, 4: processor, 5: processor, 6: processor, 7: processor, 8: processor}},
		{2, map[uint64]uint64{3: device, 4: device, 5: device, 6: device, 7: device, 8: device}},
	} {
		player, samples, got := uint64(device), 0, map[uint64]uint64{}
		play := func(next func() (uint64, bool), keep func(*replay.Record) error) (stats replay.Stats, err error) {
			for n, ok := next(); ok && err == nil; n, ok = next() {
				stats.Simulations++
				if err = keep(&replay.Record{Number: n, Model: player}); err != nil {
					break
				}
			}
			return stats, err
		}
		verify := func() bool {
			if samples == test.failing {
				player = processor
			}
			samples++
			return player == device
		}
		stats, err := playVerified(play, verify, selfplay.Numbers(all), func(g *replay.Record) error {
			if got[g.Number] != 0 {
				t.Errorf("game %d comes twice", g.Number)
			}
			got[g.Number] = g.Model
			return nil
		})
		if err != nil || !maps.Equal(got, test.want) {
			t.Errorf("failing in sample %d: games by %v, error %v", test.failing, got, err)
		}
		if failed := test.failing < 2; failed != (stats.Simulations > int64(len(all))) {
			t.Errorf("failing in sample %d: the work of all games is %d", test.failing, stats.Simulations)
		}
	}
}

// If the player is stopped, the games that have ended are kept. If the sink fails, its error is returned.
func TestHeldGamesAreKeptAtTheEnd(t *testing.T) {
	stopped, full := errors.New("stopped"), errors.New("full")
	var kept []uint64
	play := func(next func() (uint64, bool), keep func(*replay.Record) error) (replay.Stats, error) {
		for range 3 {
			n, _ := next()
			if err := keep(&replay.Record{Number: n}); err != nil {
				return replay.Stats{}, err
			}
		}
		return replay.Stats{}, stopped
	}
	good := func() bool { return true }
	_, err := playVerified(play, good, selfplay.Numbers([]uint64{0, 1, 2, 3}), func(g *replay.Record) error {
		kept = append(kept, g.Number)
		return nil
	})
	if err != stopped || !slices.Equal(kept, []uint64{0, 1, 2}) {
		t.Errorf("kept %v, error %v", kept, err)
	}
	if _, err := playVerified(play, good, selfplay.Numbers([]uint64{0, 1}), func(*replay.Record) error { return full }); err != full {
		t.Errorf("a full sink: %v", err)
	}
}

package netplayer

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"tengen/net"
	"tengen/replay"
	"tengen/selfplay"
)

const (
	// verifyEvery is about how long a device's games wait for a sample of its results.
	verifyEvery = time.Second
	// verifyShare is the share of the time that samples may take. If they need more, games wait longer.
	verifyShare = 0.05
)

// playVerified plays games on a device by play, and keeps those that a sample of the device's results confirms. verify
// takes the sample. Once it returns false, the device is lost: play then uses the processor, and plays all other games.
func playVerified(
	play func(next func() (uint64, bool), keep func(*replay.Record) error) (replay.Stats, error),
	verify func() bool, next func() (uint64, bool), keep func(*replay.Record) error,
) (replay.Stats, error) {
	h := &heldGames{verify: verify, next: next, keep: keep, taken: map[uint64]bool{}}
	stats, err := play(h.take, h.hold)
	if !errors.Is(err, net.ErrDeviceLost) {
		err = cmp.Or(h.handOn(), err)
	}
	if !errors.Is(err, net.ErrDeviceLost) {
		return stats, err
	}
	lost := selfplay.Numbers(slices.Sorted(maps.Keys(h.taken)))
	again, err := play(func() (uint64, bool) {
		if number, ok := lost(); ok {
			return number, true
		}
		return next()
	}, keep)
	stats.Add(again)
	return stats, err
}

// heldGames holds games back until a sample confirms them. It is safe for concurrent use.
type heldGames struct {
	verify func() bool
	next   func() (uint64, bool)
	keep   func(*replay.Record) error

	mu    sync.Mutex
	taken map[uint64]bool // begun, and not handed on
	games []*replay.Record
	due   time.Time // of the next sample
}

// take returns the number of a game to begin.
func (h *heldGames) take() (number uint64, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if number, ok = h.next(); ok {
		h.taken[number] = true
	}
	return number, ok
}

// hold takes a finished game. When a sample is due, it hands all games on.
func (h *heldGames) hold(g *replay.Record) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.games = append(h.games, g); time.Now().Before(h.due) {
		return nil
	}
	return h.handOn()
}

// handOn hands the finished games on, or returns net.ErrDeviceLost. No other method may run meanwhile.
func (h *heldGames) handOn() error {
	begin := time.Now()
	if !h.verify() {
		return net.ErrDeviceLost
	}
	took := time.Since(begin)
	h.due = time.Now().Add(max(verifyEvery, time.Duration(float64(took)/verifyShare)))
	for _, g := range h.games {
		if err := h.keep(g); err != nil {
			return err
		}
		delete(h.taken, g.Number)
	}
	h.games = nil
	return nil
}

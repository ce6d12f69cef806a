package netplayer

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"tengen/net"
	"tengen/replay"
	"tengen/selfplay"
)

// Verified is a Player that holds the games of a device back until a sample of its results agrees with the processor. If
// the device is lost, the processor plays those games again.
type Verified struct{ *Player }

// Games wait for a sample for about verifyEvery, or until samples have taken no more than a share of the time.
const (
	verifyEvery = time.Second
	verifyShare = 20
)

// Play implements selfplay.Player.
func (p Verified) Play(ctx context.Context, model uint64, w *net.Weights, next func() (uint64, bool), sink replay.Sink) (replay.Stats, error) {
	if !p.playing() {
		return p.Player.Play(ctx, model, w, next, sink)
	}
	var mu sync.Mutex
	taken, held := map[uint64]bool{}, []*replay.Record{} // taken have not been handed on
	due := time.Now().Add(verifyEvery)
	handOn := func() error {
		begin := time.Now()
		if !p.Verify() {
			return net.ErrDeviceLost
		}
		due = time.Now().Add(max(verifyEvery, verifyShare*time.Since(begin)))
		for _, g := range held {
			if err := sink.Keep(replay.LocalWorker, g); err != nil {
				return err
			}
			delete(taken, g.Number)
		}
		held = nil
		return nil
	}
	stats, err := p.Player.Play(ctx, model, w, func() (uint64, bool) {
		number, ok := next()
		if ok {
			mu.Lock()
			defer mu.Unlock()
			taken[number] = true
		}
		return number, ok
	}, replay.SinkFunc(func(_ string, g *replay.Record) error {
		mu.Lock()
		defer mu.Unlock()
		if held = append(held, g); time.Now().Before(due) {
			return nil
		}
		return handOn()
	}))
	if err == nil {
		err = handOn()
	}
	if !errors.Is(err, net.ErrDeviceLost) {
		return stats, err
	}
	return p.Player.Play(ctx, model, w, selfplay.Numbers(slices.Sorted(maps.Keys(taken))), sink)
}

package cluster

import (
	"context"
	"errors"
	"testing"

	"tengen/cluster/natslog"
	"tengen/replay"
)

// dividedPlayer plays a game at a time in each of its parts.
type dividedPlayer struct {
	Player // as a whole it does not play
	parts  []gatedPlayer
}

func (p dividedPlayer) Parts() (parts []Player) {
	for _, part := range p.parts {
		parts = append(parts, part)
	}
	return parts
}

// A part of the player takes up a new model when its own games are over, while others play theirs to the end with the old one.
func TestPartsTakeUpModels(t *testing.T) {
	player := dividedPlayer{parts: []gatedPlayer{
		{make(chan uint64, 1), make(chan struct{})}, {make(chan uint64, 1), make(chan struct{})},
	}}
	w := &Worker{spool: mustOpenSpool(t, t.TempDir(), 10), allowed: newAllowance(), player: player}
	take := func(iteration uint64) {
		model := natslog.Model{Iteration: iteration}
		w.order.Store(&order{Model: model})
		w.task.Store(&task{model: model})
		w.wake.ring()
	}
	ctx, cancel := context.WithCancel(t.Context())
	finished, ended := make(chan *replay.Record), make(chan error, 1)
	go func() { ended <- w.play(ctx, finished) }()
	take(1)
	w.allowed.add(100)
	w.wake.ring()
	for _, part := range player.parts {
		<-part.begun
	}
	take(2)
	quick, slow := player.parts[0], player.parts[1]
	for i, play := range []struct {
		part  gatedPlayer
		model uint64
	}{{quick, 1}, {quick, 2}, {quick, 2}, {slow, 1}, {slow, 2}} {
		play.part.gate <- struct{}{}
		if g := <-finished; g.Model != play.model {
			t.Errorf("game %d is of model %d, want %d", i, g.Model, play.model)
		}
		<-play.part.begun
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("it ends with %v", err)
	}
}

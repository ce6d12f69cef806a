package selfplay

import (
	"context"
	"runtime"
	"testing"

	"tengen/game/mnk"
)

// TestGamesChangeWorkers lets a worker take half of another's games and checks that play ends when no worker has any.
func TestGamesChangeWorkers(t *testing.T) {
	p := testPool(mnk.TicTacToe(), testConfig(), 2, anyValue)
	busy, free := p.workers[0], p.workers[1]
	for number, s := range busy.games {
		s.begin(1, uint64(number), 0)
	}
	x := newExchange[mnk.State](2)
	answers := make(chan bool)
	take := func(w *worker[mnk.State]) { answers <- x.take(t.Context(), w) }
	go take(free)
	for live(free) == 0 { // until it waits
		x.give(busy, 1) // keeps its only game
		x.give(busy, 5)
		runtime.Gosched()
	}
	if took := <-answers; !took || live(busy) != 3 || live(free) != 2 {
		t.Fatalf("took %v; %d and %d games, want 3 and 2 of 5", took, live(busy), live(free))
	}
	go take(busy)
	go take(free)
	if first, second := <-answers, <-answers; first || second {
		t.Error("a worker took games when none had any")
	}
}

// TestTakeIsCancelled waits for games in vain.
func TestTakeIsCancelled(t *testing.T) {
	p := testPool(mnk.TicTacToe(), testConfig(), 2, anyValue)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if newExchange[mnk.State](2).take(ctx, p.workers[1]) {
		t.Error("took games of a worker that gave none")
	}
}

func live(w *worker[mnk.State]) (n int) {
	for _, s := range w.games {
		if s.record != nil {
			n++
		}
	}
	return n
}

package cluster

import (
	"math"
	"time"
)

// evidence is what the run has seen of a worker's games, the recent ones: what is older of games taken and held
// fades away, and what was in vain counts until a game comes.
type evidence struct {
	taken   float64       // games that the run has taken
	held    float64       // seconds in which the worker held games
	heard   time.Time     // when the worker asked last
	vain    time.Duration // for which the run has waited for its games, since one of them came
	doubted bool          // what it holds does not count until one of its games comes, see dealer.doubt
}

const (
	// recent is the time of holding games in which evidence fades to a third.
	recent = 5 * time.Minute
	// trial is for how long a worker is given credit: it is judged as if it had been as fast as is usual for so long before.
	trial = 15 * time.Second
	// credit is how many times faster than it was seen to be a worker is believed to be at most. With less, workers that could play
	// much more than is wanted of them would not be told apart by what they say.
	credit = 4
	// remembered is for how long the evidence of a worker that asks no more is kept.
	remembered = 10 * time.Minute
)

// hold notes that the worker held games for some time.
func (e *evidence) hold(d time.Duration) {
	fade := math.Exp(-d.Seconds() / recent.Seconds())
	e.taken *= fade
	e.held = e.held*fade + d.Seconds()
}

// took notes that a game of a worker was taken, which ends any doubt.
func (q *quota) took(worker string) {
	if e := q.seen[worker]; e != nil {
		e.taken++
		e.vain, e.doubted = 0, false
	}
}

// believe finds out how many games a second each worker is thought to play: what it says, but no more than credit times what was seen of
// it. So one whose games are refused, or never come, is soon thought to be slow, and whoever claims too much gets little by it. Where
// nothing has been seen of anybody, as at the start, all are alike.
func (q *quota) believe() {
	taken, held := 0.0, 0.0
	for h := range q.trusted() {
		taken, held = taken+h.seen.taken, held+h.seen.held
	}
	known := taken >= 1
	usual := 1.0
	if known {
		usual = taken / (held + trial.Seconds())
	}
	for h := range q.trusted() {
		h.believed = credit * (h.seen.taken + usual*trial.Seconds()) / (h.seen.held + trial.Seconds())
		if known && h.Rate > 0 {
			h.believed = min(h.believed, h.Rate)
		}
	}
}

// bound finds out how many of the wanted games each worker may hold at most: its part, if the others were credit times slower than they
// are believed to be. So there is always something left for them: what a worker holds beyond its bound, or says that it does, keeps
// nobody else from playing.
func (q *quota) bound(wanted int) {
	total := 0.0
	for h := range q.trusted() {
		total += h.believed
	}
	for h := range q.trusted() {
		h.most = float64(wanted) * credit * h.believed / (credit*h.believed + total - h.believed)
	}
}

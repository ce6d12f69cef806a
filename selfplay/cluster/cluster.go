// Package cluster lets workers on other machines play the games of a run.
//
// A game follows from its number, its model and the run's seed, so a run comes to the same models, byte for byte, no matter who
// plays its games. The trainer has a Pool, which plays like any other player: it publishes a model and tasks, ranges of game
// numbers, and returns when all games are kept. A Worker pulls tasks, plays, sends the games, and acknowledges a task when all of
// its games are answered.
//
// The trainer's list of missing games is the only truth. NATS JetStream delivers tasks, and keeps nothing that matters: all of
// its streams are in memory, acknowledgements only steer delivery, and whatever is lost is published again. When nothing is left
// to hand out, the trainer plays the oldest missing games itself; the first valid record of a game counts. So nothing that a
// worker does, or fails to do, can stop a run.
//
// Workers may take tasks, read settings and models, and send games and their status under their own names; see requests. Games
// are checked against the rules, and a share of them is played again.
package cluster

import (
	"context"

	"tengen/net"
	"tengen/replay"
)

// Player plays games of self-play on this machine; selfplay.Pool.Play says how.
type Player interface {
	// Play plays games with the numbers that next returns. Where next returns false, the place of a game stays empty, and next is
	// asked again while other games go on.
	Play(ctx context.Context, model uint64, w *net.Weights, next func() (number uint64, ok bool),
		finished func(*replay.Record) error) (replay.Stats, error)
	// ParallelGames is the number of games that Play plays at the same time.
	ParallelGames() int
}

package mcts_test

import (
	"fmt"

	"tengen/game"
)

// bush is a position of a random game: the moves that led to it are hashed, and the hash decides which moves are legal,
// whether the game is over and how it ended. Unlike the real games here, it also ends with a win for the side to move.
type bush struct {
	hash uint64
	ply  int
	last game.Action
}

const (
	bushActions = 6
	bushDepth   = 7 // plies after which every game is over
)

func newBush(seed uint64) bush { return bush{hash: scramble(seed), last: game.None} }

// scramble is a hash of x: the multiplication and shifts of MurmurHash3's finaliser.
func scramble(x uint64) uint64 {
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	x = (x ^ x>>33) * 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

func (b bush) Legal(dst []game.Action) []game.Action {
	if _, over := b.Outcome(); over {
		return dst
	}
	start := len(dst)
	for a := range game.Action(bushActions) {
		if b.hash>>a&1 == 1 {
			dst = append(dst, a)
		}
	}
	if len(dst) == start {
		dst = append(dst, game.Action(b.hash>>8%bushActions))
	}
	return dst
}

func (b bush) Play(a game.Action) bush {
	return bush{hash: scramble(b.hash*31 + uint64(a) + 1), ply: b.ply + 1, last: a}
}

func (b bush) Outcome() (z float32, over bool) {
	over = b.ply >= bushDepth || b.ply > 1 && b.hash>>16%5 == 0
	if !over {
		return 0, false
	}
	return float32(int(b.hash>>24%3) - 1), true
}

func (b bush) Encode([]float32) { panic("a bush has no planes") }

func (b bush) Key() game.Key { return game.Key{b.hash} }

func (b bush) Last() game.Action { return b.last }

func (b bush) ToMove() game.Side { return game.Mover(b.ply) }

func (b bush) Ply() int { return b.ply }

func (b bush) Format(a game.Action) string { return fmt.Sprint(a) }

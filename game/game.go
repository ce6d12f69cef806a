// Package game defines the contract between the rules of a board game and the code that plays it.
//
// A game is deterministic, zero-sum and of perfect information. Two sides move in turn, and it ends after a bounded
// number of moves. Values are for the side to move: +1 is a win, 0 a draw, -1 a loss.
//
// State and Game suffice to play; other interfaces are optional. Package game/conformance checks implementations.
package game

import (
	"fmt"
	"slices"
)

// Action is a move: an index in [0, Game.Actions()).
type Action int32

// None means no move. It is the last move of the start, and of positions set up without one.
const None Action = -1

// Key identifies a position, from the perspective of the side to move, exactly or by a 128-bit hash. Positions with
// equal keys have the same legal moves, outcome and ply, and the same moves lead to equal keys. A key depends on how the
// position was reached only as far as the rules do, as in Go, where no board may come twice. It need not cover the last
// move and which side is the first player.
type Key [2]uint64

// State is an immutable position, safe for concurrent use. Key tells positions apart: they can be compared with ==, but
// equal positions may differ, as those that hold a pointer do. A State must have a String method unless it is a Diagram.
type State[S any] interface {
	// Legal appends the legal moves to dst in ascending order: none if the game is over, else at least one. A pass is a
	// move.
	Legal(dst []Action) []Action

	// Play returns the position after a. If a is illegal, it panics with a message that names the move.
	Play(a Action) S

	// Outcome reports whether the game is over, and its result for the side to move: -1, 0 or +1, or 0 before the end.
	Outcome() (z float32, over bool)

	// ToMove returns the side to move: First at the start, the other side after every move.
	ToMove() Side

	// Encode overwrites planes [Game.Planes, H, W] with the network's input: 0s and 1s, row 0 at the top. Positions with
	// equal planes have the same legal moves and outcome, except for a draw at MaxPlies (see Incomplete). It panics if
	// the length is wrong.
	Encode(planes []float32)

	// Key returns the position's key.
	Key() Key

	// Last returns the move that led here, or None at the start.
	Last() Action

	// Ply returns the number of moves that led here.
	Ply() int

	// Format returns the notation of the legal move a: "4" in Connect Four, "h8" in gomoku. It has neither spaces nor
	// commas, and no other legal move has the same, even in other case.
	Format(a Action) string
}

// Game describes one board of a game. Implementations are immutable and safe for concurrent use.
type Game[S State[S]] interface {
	// Name returns the board's canonical name, such as "connect4" or "mnk:6,6,4".
	Name() string

	// Start returns the starting position.
	Start() S

	// Board returns the size of the board and of each plane.
	Board() Size

	// Planes returns the number of planes of an encoded position, PlacementPlanes in placement games.
	Planes() int

	// Actions returns the number of moves, legal or not, from 1 to 32,767.
	Actions() int

	// MaxPlies returns an upper bound for State.Ply, from 1 to 32,767.
	MaxPlies() int

	// Symmetries returns the symmetries of the rules, the identity first. Each maps the starting position to itself,
	// unless the Game is Imaged. Callers must not modify them.
	Symmetries() []Symmetry

	// Labels returns the names of columns from the left and rows from the top, nil if the notation has none.
	Labels() (columns, rows []string)
}

// InputLen returns the number of values in an encoded position, Planes*H*W.
func InputLen[S State[S]](g Game[S]) int { return g.Planes() * g.Board().Cells() }

// Replay plays moves from the start. The error names the first illegal move by number, from 1.
func Replay[S State[S]](g Game[S], moves []Action) (S, error) {
	s := g.Start()
	var legal []Action
	for i, a := range moves {
		if _, over := s.Outcome(); over {
			return s, fmt.Errorf("move %d (#%d) comes after the end of the game", i+1, a)
		}
		legal = s.Legal(legal[:0])
		if !slices.Contains(legal, a) {
			return s, fmt.Errorf("move %d (#%d) is illegal", i+1, a)
		}
		s = s.Play(a)
	}
	return s, nil
}

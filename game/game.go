// Package game is the contract between the rules of a board game and everything that plays it: search, self-play,
// training, matches and solvers.
//
// A game is deterministic, has two sides that move in turn, sums to zero, hides nothing and ends after a bounded number
// of moves. A position is an immutable value of a type S that implements State[S]; the search replays moves instead of
// undoing them. A Game[S] describes the rest: size, moves, symmetries and notation. One perspective holds everywhere: a
// value is for the side to move, +1 a win, 0 a draw, -1 a loss.
//
// These two interfaces are all that a player of a game needs. Optional ones describe what only some games have:
//
//	Diagram    positions show who holds which cell, and moves have cells to click on
//	Placement  each move puts a stone on an empty cell, and stones stay
//	Alignment  the first to hold all cells of a line wins
//	Inscribed  cells have texts on them
//	Setup      positions can be set up from stones, without the moves that led there
//
// Package game/gametest checks that an implementation keeps this contract. Perft, CountGames and CountPositions count
// positions and games, to compare with published figures.
package game

import (
	"fmt"
	"slices"
)

// Action is a move, an index in [0, Game.Actions()).
type Action int32

// None is the absence of a move: the last move of a starting position, or of one that was set up without it.
const None Action = -1

// Key identifies a position, in the view of the side to move, exactly or by a hash of 128 bits. Positions with equal
// keys have the same legal moves, outcome and ply, and lead to equal keys by the same moves. Equal positions have equal
// keys, however they were reached: where the same board can come about at different plies, the key tells them apart.
//
// A key need not cover what only the network sees: the last move, and which of the sides is the first player.
type Key [2]uint64

// State is a position: an immutable value that may be copied, compared and used by several goroutines at once. One that
// is no Diagram has a method String, to be shown by.
type State[S any] interface {
	// Legal appends the legal moves to dst in ascending order and returns it: nothing is appended when the game is
	// over, and at least one move otherwise. Where a side may have to pass, that is a move, too.
	Legal(dst []Action) []Action

	// Play returns the position after a and leaves the receiver alone. It panics on an illegal move or a finished game,
	// with a message that names the move.
	Play(a Action) S

	// Outcome reports whether the game is over and, if so, its result for the side to move: -1, 0 or +1. Before the end
	// it is (0, false).
	Outcome() (z float32, over bool)

	// ToMove is the side to move: First in the starting position, and the other after each move, the last one included.
	ToMove() Side

	// Encode writes the position as the network sees it: planes [Game.Planes, H, W] of 0s and 1s, row 0 at the top of
	// the drawn board. It overwrites every element and panics when there are more or fewer.
	Encode(planes []float32)

	// Key returns the key of the position for transposition tables.
	Key() Key

	// Last is the move that led here, None in the starting position.
	Last() Action

	// Ply is the number of moves that led here, 0 in the starting position.
	Ply() int
}

// Game describes one board of a game. Implementations are immutable and safe for concurrent use.
type Game[S State[S]] interface {
	// Name is the name by which configurations and model files know the game, such as "connect4" or "mnk:6,6,4". A
	// board has one name, however the Game was made.
	Name() string

	// Start is the starting position.
	Start() S

	// Board is the size of the board, and of each plane of an encoded position.
	Board() Size

	// Planes is the number of planes of an encoded position, PlacementPlanes in placement games.
	Planes() int

	// Actions is the number of moves, legal or not: the length of a policy vector. From 1 to 32,767.
	Actions() int

	// MaxPlies bounds State.Ply: every game is over by then. From 1 to 32,767.
	MaxPlies() int

	// Symmetries are the symmetries of the rules, the identity first. They leave the starting position as it is. The
	// caller must not change them.
	Symmetries() []Symmetry

	// FormatAction writes a move as a person would: "4" in Connect Four, "h8" on other boards. For messages, a number
	// that is no move of the board is written as "#400".
	FormatAction(a Action) string

	// FormatMoves writes a sequence of moves, the notation of a position: "44353" in Connect Four, "h8 i9" on other
	// boards. No moves give the empty string.
	FormatMoves(moves []Action) string

	// ParseMoves reads what FormatMoves writes, and forgives case and surplus space. It checks that every move is on
	// the board, not that it is legal: see Replay.
	ParseMoves(text string) ([]Action, error)

	// Labels names the columns from left to right and the rows from top to bottom of the drawn board; nil are those
	// that moves do not name.
	Labels() (columns, rows []string)
}

// InputLen is the number of values of an encoded position, Planes*H*W.
func InputLen[S State[S]](g Game[S]) int { return g.Planes() * g.Board().Cells() }

// Replay plays moves from the starting position. The error names the first illegal move by its number, from 1.
func Replay[S State[S]](g Game[S], moves []Action) (S, error) {
	s := g.Start()
	var legal []Action
	for i, a := range moves {
		if _, over := s.Outcome(); over {
			return s, fmt.Errorf("move %d (%s) comes after the end of the game", i+1, g.FormatAction(a))
		}
		legal = s.Legal(legal[:0])
		if !slices.Contains(legal, a) {
			return s, fmt.Errorf("move %d (%s) is illegal", i+1, g.FormatAction(a))
		}
		s = s.Play(a)
	}
	return s, nil
}

// Package game is the contract between the rules of a board game and everything that plays it: search, self-play,
// training, matches and solvers.
//
// A game is deterministic, has two players who move in turn, sums to zero and hides nothing. A position is an immutable
// value of a type S that implements State[S]; the search replays moves instead of undoing them. A Game[S] describes the
// board: its size, its moves, its symmetries and its notation. One perspective holds everywhere: a value is that of the
// side to move, +1 a win, 0 a draw, -1 a loss.
//
// Package game/gametest checks that an implementation keeps this contract. Perft, CountGames and CountPositions count
// what a game holds, to compare with published figures.
package game

import (
	"fmt"
	"slices"
)

// Action is a move, an index in [0, Game.Actions()).
type Action int32

// None is the absence of a move: the last move of a starting position.
const None Action = -1

// Planes is the number of feature planes of an encoded position.
const Planes = 4

// Key identifies a position exactly or, on boards of more than 64 cells, by a 128-bit hash. Equal positions have equal
// keys, however they were reached. It does not cover the last move, which Encode shows to the network.
type Key [2]uint64

// State is a position: an immutable value that may be copied, compared and used by several goroutines at once.
type State[S any] interface {
	// Legal appends the legal moves to dst in ascending order and returns it: nothing is appended when the game is over.
	Legal(dst []Action) []Action

	// Play returns the position after a and leaves the receiver alone. It panics on an illegal move or a finished game,
	// with a message that names the move.
	Play(a Action) S

	// Outcome reports whether the game is over and, if so, its result for the side to move: -1, 0 or +1. It is (0, false)
	// while the game goes on.
	Outcome() (z float32, over bool)

	// Encode writes the four planes [Planes, H, W] of float32 0s and 1s, row 0 at the top of the drawn board: the stones of
	// the side to move, the stones of its opponent, the last move, and all ones when the first player is to move. It
	// overwrites every element and panics when len(planes) is not Planes*H*W.
	Encode(planes []float32)

	// Key returns the key of the position for transposition tables.
	Key() Key

	// Last is the move that led here, None in the starting position.
	Last() Action

	// Ply is the number of moves that led here, 0 in the starting position. Equal positions have equal plies.
	Ply() int
}

// Game describes one board of a game. Implementations are immutable and safe for concurrent use.
type Game[S State[S]] interface {
	// Name is the name by which configurations and model files know the game, such as "connect4" or "mnk:6,6,4". A board
	// has one name, however the Game was made.
	Name() string

	// Start is the starting position.
	Start() S

	// Board is the size of the board in cells.
	Board() (height, width int)

	// Actions is the number of moves, legal or not: the length of a policy vector.
	Actions() int

	// Symmetries are the symmetries of the rules, the identity first. The caller must not change them.
	Symmetries() []Symmetry

	// FormatAction writes a move as a person would: "4" in Connect Four, "h8" on other boards. For messages, a number that
	// is no move of the board is written as "#400".
	FormatAction(a Action) string

	// FormatMoves writes a sequence of moves, the notation of a position: "44353" in Connect Four, "h8 i9" on other boards.
	// No moves give the empty string.
	FormatMoves(moves []Action) string

	// ParseMoves reads what FormatMoves writes, and forgives case and surplus space. It checks that every move is on the
	// board, not that it is legal: see Replay.
	ParseMoves(text string) ([]Action, error)

	// Labels names the columns from left to right and the rows from top to bottom of the drawn board; no rows when moves
	// do not name them.
	Labels() (columns, rows []string)
}

// Symmetry maps a board onto itself such that the rules are unchanged. Cells and moves are mapped together: a policy
// must be turned with the position it belongs to.
type Symmetry struct {
	Cells   []int32  // [H*W]: the cell i, counted row by row from the top left, goes to Cells[i]
	Actions []Action // [Actions]: the move a goes to Actions[a]
}

// Apply writes the image of each plane of src [planes, H*W] to dst. The slices must not overlap.
func (s Symmetry) Apply(dst, src []float32) {
	cells := len(s.Cells)
	if len(dst) != len(src) || len(src)%cells != 0 {
		panic(fmt.Sprintf("game: symmetry of %d cells applied to %d values into %d", cells, len(src), len(dst)))
	}
	for p := 0; p < len(src); p += cells {
		to, from := dst[p:p+cells], src[p:p+cells]
		for i, j := range s.Cells {
			to[j] = from[i]
		}
	}
}

// ApplyPolicy writes the image of the policy src [Actions] to dst. The slices must not overlap.
func (s Symmetry) ApplyPolicy(dst, src []float32) {
	if len(dst) != len(s.Actions) || len(src) != len(s.Actions) {
		panic(fmt.Sprintf("game: symmetry of %d moves applied to %d values into %d", len(s.Actions), len(src), len(dst)))
	}
	for a, b := range s.Actions {
		dst[b] = src[a]
	}
}

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

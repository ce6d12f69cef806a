// Package exam holds positions of Connect Four, on the standard board, with the exact score of every move: the yardstick by
// which players are measured and compared.
//
// They are of random games, 1,000 from each Cell: a stage of the game and a difficulty, which is how far one must look
// ahead. No two are the same or mirror images. The game is not over, there is a choice of moves, and, as in the sets that
// Pons published for solvers ("Solving Connect Four", part 2), nobody wins with one of the next two stones under perfect
// play. A player that is being developed is measured by one half, and what is claimed of it in the end by the other.
//
// Command gen draws the positions and solves them. See Read for the file's form.
package exam

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"sync"

	"tengen/eval/grade"
	"tengen/game/connect4"
	"tengen/solver"
)

var standard = connect4.Standard()

// cells of the standard board.
const cells = 42

// Stage is how far the game has come, by the stones on the board.
type Stage int

const (
	Beginning Stage = iota // up to 13 stones
	Middle                 // 14 to 28
	End                    // 29 and more
)

// Stages are all stages in order.
var Stages = [...]Stage{Beginning, Middle, End}

// MarshalText writes the name.
func (s Stage) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// String is "beginning", "middle" or "end". It panics for a number that is none of the stages.
func (s Stage) String() string { return [...]string{"beginning", "middle", "end"}[s] }

// Plies are the fewest and the most stones of the stage's positions: with 41 on the board there is no choice of moves.
func (s Stage) Plies() (first, last int) {
	return [...]int{0, 14, 29}[s], [...]int{13, 28, cells - 2}[s]
}

// Difficulty is how many moves the game goes on under perfect play.
type Difficulty int

const (
	Easy   Difficulty = iota // up to 13 moves
	Medium                   // 14 to 28
	Hard                     // 29 and more
)

// MarshalText writes the name.
func (d Difficulty) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// String is "easy", "medium" or "hard". It panics for a number that is none of the difficulties.
func (d Difficulty) String() string { return [...]string{"easy", "medium", "hard"}[d] }

// third tells which third of the board a number of cells lies in: 0 up to 13, 1 up to 28, 2 beyond.
func third(n int) int {
	switch {
	case n < cells/3:
		return 0
	case n <= 2*cells/3:
		return 1
	}
	return 2
}

// Cell is a part of the exam.
type Cell struct {
	Stage      Stage      `json:"stage"`
	Difficulty Difficulty `json:"difficulty"`
}

// Cells are the parts of the exam, all that exist: a game that goes on for 29 moves more is at its beginning.
var Cells = [...]Cell{{Beginning, Easy}, {Beginning, Medium}, {Beginning, Hard}, {Middle, Easy}, {Middle, Medium}, {End, Easy}}

// CellOf is the cell of a position with that many stones, which is worth score under perfect play.
func CellOf(ply int, score solver.Score) Cell {
	return Cell{Stage(third(ply)), Difficulty(third(solver.PliesLeft(cells, ply, score)))}
}

// Eligible reports whether s, worth score under perfect play, may be a position of the exam: there is a choice of moves, and
// nobody wins with one of the next two stones under perfect play.
func Eligible(s connect4.State, score solver.Score) bool {
	return len(s.Legal(nil)) > 1 && (score == 0 || solver.PliesLeft(cells, s.Ply(), score) > 2)
}

// String is the stage and the difficulty, such as "middle, easy".
func (c Cell) String() string { return c.Stage.String() + ", " + c.Difficulty.String() }

// Problem is a position of the exam. It is immutable.
type Problem struct {
	grade.Problem[connect4.State]
	Cell Cell
}

// Size is the number of positions in each cell, as many in one half as in the other.
const Size = 1000

//go:embed connect4.txt.gz
var file []byte

// halves of the exam, by grade.Half.
var halves = sync.OnceValue(func() (halves [2][]Problem) {
	problems, err := unpack(file)
	if err != nil {
		panic(fmt.Sprintf("exam: the positions in the program: %v", err))
	}
	seen := map[Cell]int{}
	for _, p := range problems {
		half := &halves[seen[p.Cell]%2]
		*half = append(*half, p)
		seen[p.Cell]++
	}
	return halves
})

func unpack(file []byte) ([]Problem, error) {
	z, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	return Read(z)
}

// Connect4 returns the positions of one half, cell by cell and within a cell by the number of stones: of each cell's
// positions in the order of the file, the first, third, fifth, ... are for Dev, the others for Final. All callers share
// them.
func Connect4(half grade.Half) []Problem { return halves()[half] }

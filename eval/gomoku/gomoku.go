// Package gomoku holds yardsticks of gomoku, on the board of 15x15 where five or more in a row win: a tactical exam, and
// balanced openings for matches.
//
// Nobody can solve gomoku while a player is graded. But where a side can win by fours, each of which leaves one reply, a proof
// shows it (package forced), and there a player's move is right or wrong. The exam has two tasks: to Win where such a chain
// wins, and to Defend where the opponent would have one if the side to move passed. Everything follows from the rules alone.
//
// The positions are from games of a quick player that leaves some to chance. No two are the same, turned or reflected. A player
// that is being developed is measured by one half of each yardstick, and what is claimed of it in the end by the other; no
// game gave positions to both.
//
// Command gen makes both files. See Read and ReadOpenings for their form.
package gomoku

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"sync"

	"tengen/eval/grade"
	"tengen/game"
	"tengen/game/mnk"
)

// Board is the board of the yardsticks.
var Board = mnk.Gomoku()

// Task is what a position of the exam asks for.
type Task int

const (
	// Win: the side to move wins by a chain of fours. A move is right if the win can still be proven after it.
	Win Task = iota
	// Defend: the opponent would win by a chain of fours if the side to move passed. A move is right if the opponent then has
	// none. At least one move is, at most half of them are.
	Defend
)

// MarshalText writes the name.
func (t Task) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// String is the name of the task, "win" or "defend".
func (t Task) String() string { return [...]string{"win", "defend"}[t] }

// Depth is how long the shortest chain of fours is, in plies, up to the stone that completes five.
type Depth int

const (
	Short  Depth = iota // 3 or 5
	Medium              // 7 or 9
	Long                // 11 and more
	All                 // in reports: all together
)

// MarshalText writes the name.
func (d Depth) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// String is "short", "medium", "long" or "all".
func (d Depth) String() string { return [...]string{"short", "medium", "long", "all"}[d] }

// DepthOf is the class of a chain of that many plies, an odd number from 3 on.
func DepthOf(plies int) Depth {
	switch {
	case plies <= 5:
		return Short
	case plies <= 9:
		return Medium
	}
	return Long
}

// Cell is a part of the exam.
type Cell struct {
	Task  Task  `json:"task"`
	Depth Depth `json:"depth"`
}

// Cells are the parts of the exam in order, without those of all depths together.
var Cells = [...]Cell{{Win, Short}, {Win, Medium}, {Win, Long}, {Defend, Short}, {Defend, Medium}, {Defend, Long}}

// String is the task and the depth, such as "win, short".
func (c Cell) String() string { return c.Task.String() + ", " + c.Depth.String() }

// Size is the number of positions that one half of the exam has of the cell: 500 for each task.
func (c Cell) Size() int { return [...]int{170, 170, 160}[c.Depth] }

// Problem is a position of the exam. It is immutable.
type Problem struct {
	grade.Problem[State] // without scores
	Task                 Task
	Plies                int           // of the shortest chain
	Right                []game.Action // Defend: the moves that are right, in ascending order; Win: nil
}

// Cell is the part that p belongs to.
func (p *Problem) Cell() Cell { return Cell{p.Task, DepthOf(p.Plies)} }

//go:embed exam.txt.gz
var examFile []byte

//go:embed openings.txt.gz
var openingsFile []byte

var exams = sync.OnceValue(func() (halves [2][]Problem) {
	return split(unpack(examFile, Read))
})

var openings = sync.OnceValue(func() (halves [2][][]game.Action) {
	return split(unpack(openingsFile, ReadOpenings))
})

// unpack reads what comes with the program.
func unpack[T any](file []byte, read func(io.Reader) ([]T, error)) []T {
	z, err := gzip.NewReader(bytes.NewReader(file))
	var all []T
	if err == nil {
		all, err = read(z)
	}
	if err != nil {
		panic(fmt.Sprintf("gomoku: a file in the program: %v", err))
	}
	return all
}

// split returns the halves of a file, grade.Dev first.
func split[T any](all []T) (halves [2][]T) {
	half := len(all) / 2
	return [2][]T{all[:half:half], all[half:]}
}

// Exam returns the positions of one half, cell by cell. All callers share them.
func Exam(half grade.Half) []Problem { return exams()[half] }

// OpeningsInHalf is the number of balanced openings in each half.
const OpeningsInHalf = 100

// OpeningsFor returns the balanced openings of one half for Board, nil for other boards.
func OpeningsFor(g *mnk.Game, half grade.Half) [][]game.Action {
	if g.Name() != Board.Name() {
		return nil
	}
	return Openings(half)
}

// Openings returns the balanced openings of one half. All callers share them.
func Openings(half grade.Half) [][]game.Action { return openings()[half] }

package main

import (
	"slices"

	"tengen/game"
	connect4game "tengen/game/connect4"
	"tengen/solver"
)

var board = connect4game.Standard()

// fields of the standard board.
const fields = 42

// Stages are how far the game has come, by the stones on the board, which they begin and end with. With 41 there is no choice.
const (
	beginning = iota
	middle
	end
)

var (
	stageNames = [...]string{"beginning", "middle", "end"}
	stagePlies = [...][2]int{{0, 13}, {14, 28}, {29, fields - 2}}
)

// Difficulties are how many moves the game goes on under perfect play: up to 13, 14 to 28, 29 and more.
const (
	easy = iota
	medium
	hard
)

var difficultyNames = [...]string{"easy", "medium", "hard"}

// cell is a part of the exam.
type cell struct{ stage, difficulty int }

// cells are all that exist: a game that goes on for 29 moves more is at its beginning.
var cells = [...]cell{{beginning, easy}, {beginning, medium}, {beginning, hard}, {middle, easy}, {middle, medium}, {end, easy}}

// cellOf is the cell of a position with that many stones, which is worth score under perfect play.
func cellOf(ply int, score solver.Score) cell {
	return cell{third(ply), third(solver.PliesLeft(fields, ply, score))}
}

// third tells which third of the board a number of fields lies in: 0 up to 13, 1 up to 28, 2 beyond.
func third(n int) int {
	switch {
	case n < fields/3:
		return 0
	case n <= 2*fields/3:
		return 1
	}
	return 2
}

// String is the stage and the difficulty, such as "middle, easy".
func (c cell) String() string { return stageNames[c.stage] + ", " + difficultyNames[c.difficulty] }

// problem is a position of the exam: the moves that lead to it, and the score of each legal one.
type problem struct {
	Moves  []game.Action  `json:"moves"`
	Scores []solver.Score `json:"scores"`
}

func (p *problem) cell() cell { return cellOf(len(p.Moves), slices.Max(p.Scores)) }

// eligible reports whether s, worth score under perfect play, may be a position of the exam: there is a choice of moves, and
// neither side wins with one of the next two stones under perfect play.
func eligible(s connect4game.State, score solver.Score) bool {
	return len(s.Legal(nil)) > 1 && (score == 0 || solver.PliesLeft(fields, s.Ply(), score) > 2)
}

// folded is a key that only the position and its mirror image share.
func (p *problem) folded() game.Key {
	mirror := board.Symmetries()[1].Actions
	s, image := board.Start(), board.Start()
	for _, a := range p.Moves {
		s, image = s.Play(a), image.Play(mirror[a])
	}
	key, other := s.Key(), image.Key()
	if slices.Compare(key[:], other[:]) < 0 {
		return key
	}
	return other
}

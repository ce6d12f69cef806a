package gomoku

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"tengen/eval/exam"
	"tengen/eval/grade"
	"tengen/game"
)

// Read reads a problem a line, in three parts with " | " between them: the task with the plies of the shortest chain, the moves
// that lead to the position, and the moves that are right, none where the task is to win:
//
//	defend 3 | h8 a1 h9 a2 h10 | h7 h11 h12
//
// Errors name the line. That the plies and the moves are right is not checked.
func Read(r io.Reader) ([]Problem, error) { return exam.ReadLines(r, Parse) }

// ReadOpenings reads an opening a line, its moves. Errors name the line.
func ReadOpenings(r io.Reader) ([][]game.Action, error) {
	return exam.ReadLines(r, func(line string) ([]game.Action, error) {
		moves, err := Board.ParseMoves(line)
		if err == nil {
			_, err = game.Replay(Board, moves)
		}
		return moves, err
	})
}

// Parse reads one line of the form that Read describes.
func Parse(line string) (Problem, error) {
	parts := strings.Split(line, "|")
	if len(parts) != 3 {
		return Problem{}, fmt.Errorf("%q is not a task, moves and right moves with | between them", line)
	}
	var p Problem
	name, number, _ := strings.Cut(strings.TrimSpace(parts[0]), " ")
	switch name {
	case Win.String():
		p.Task = Win
	case Defend.String():
		p.Task = Defend
	default:
		return Problem{}, fmt.Errorf("%q is no task: write win or defend", name)
	}
	var err error
	if p.Plies, err = strconv.Atoi(number); err != nil || p.Plies < 3 || p.Plies%2 == 0 {
		return Problem{}, fmt.Errorf("%q is no number of plies: write an odd one from 3 on", number)
	}
	moves, err := Board.ParseMoves(parts[1])
	if err != nil {
		return Problem{}, err
	}
	if p.Right, err = Board.ParseMoves(parts[2]); err != nil {
		return Problem{}, err
	}
	if p.Problem, err = position(moves); err != nil {
		return Problem{}, err
	}
	if (len(p.Right) == 0) != (p.Task == Win) {
		return Problem{}, fmt.Errorf("%d right moves in a position to %v", len(p.Right), p.Task)
	}
	for _, a := range p.Right {
		if !slices.Contains(p.Legal, a) {
			return Problem{}, fmt.Errorf("the right move %s is illegal", Board.FormatAction(a))
		}
	}
	return p, nil
}

// position is the position after moves.
func position(moves []game.Action) (p grade.Problem[State], err error) {
	p.Moves = moves
	if p.Position, err = game.Replay(Board, moves); err != nil {
		return p, err
	}
	if p.Legal = p.Position.Legal(nil); len(p.Legal) == 0 {
		return p, errors.New("the game is over")
	}
	return p, nil
}

// Line is p in the form that Parse reads.
func (p *Problem) Line() string {
	line := fmt.Sprintf("%v %d | %s |", p.Task, p.Plies, Board.FormatMoves(p.Moves))
	if len(p.Right) > 0 {
		line += " " + Board.FormatMoves(p.Right)
	}
	return line
}

// Folded is a key of the position after moves that it shares with its turned and reflected images alone.
func Folded(moves []game.Action) (least game.Key) {
	for i, symmetry := range Board.Symmetries() {
		s := Board.Start()
		for _, a := range moves {
			s = s.Play(symmetry.Actions[a])
		}
		if key := s.Key(); i == 0 || slices.Compare(key[:], least[:]) < 0 {
			least = key
		}
	}
	return least
}

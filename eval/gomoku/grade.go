package gomoku

import (
	"context"
	"fmt"
	"strings"

	"tengen/eval/grade"
	"tengen/game/mnk"
	"tengen/players"
)

// Part is how players do in one cell, or in all cells of a task.
type Part struct {
	Cell    Cell    `json:"cell"`
	Players []Score `json:"players"`
}

// Score is how one player does in a part.
type Score struct {
	Player    string      `json:"player"`
	Positions int         `json:"positions"`
	Right     grade.Share `json:"right"` // moves that keep the win, or stop that of the opponent
}

// Report has the parts of an exam: for each task all depths together, then each depth that has positions.
type Report []Part

// For is the exam of Board, nil for others.
func For(g *mnk.Game) grade.Exam[State] {
	if g.Name() != Board.Name() {
		return nil
	}
	return whole{}
}

// whole is the exam as a grade.Exam.
type whole struct{}

// Take implements grade.Exam.
func (whole) Take(ctx context.Context, cfg grade.Config, half grade.Half, positions int, players []players.Entrant[State],
	progress func(done, total int)) (grade.ExamReport, error) {
	problems := grade.Spread(Exam(half), positions)
	return Grade(ctx, cfg, problems, players, func(done int) { progress(done, len(problems)) })
}

// Grade puts the problems to each player. It is grade.Ask otherwise.
func Grade(ctx context.Context, cfg grade.Config, problems []Problem, players []players.Entrant[State],
	done func(problems int)) (Report, error) {
	asked := make([]grade.Problem[State], len(problems))
	for i, p := range problems {
		asked[i] = p.Problem
	}
	answers, err := grade.Ask(ctx, cfg, Board, asked, players, done)
	if err != nil {
		return nil, err
	}
	examiner := NewExaminer()
	right := make([]map[Cell]grade.Share, len(players))
	for i := range players {
		right[i] = map[Cell]grade.Share{}
		for n := range problems {
			p := &problems[n]
			ok := examiner.Right(p, p.Legal[answers[i][n].Move])
			for _, cell := range []Cell{p.Cell(), {p.Task, All}} {
				right[i][cell] = right[i][cell].Plus(ok)
			}
		}
	}
	var report Report
	for _, task := range []Task{Win, Defend} {
		for _, depth := range []Depth{All, Short, Medium, Long} {
			part := Part{Cell: Cell{task, depth}}
			for i, e := range players {
				share := right[i][part.Cell]
				part.Players = append(part.Players, Score{e.Name, share.Of, share})
			}
			if part.Players[0].Positions > 0 {
				report = append(report, part)
			}
		}
	}
	return report, nil
}

// Parts implements grade.ExamReport.
func (r Report) Parts() (all []grade.ExamPart) {
	for _, p := range r {
		part := grade.ExamPart{Name: p.Cell.String(), Positions: p.Players[0].Positions}
		for _, score := range p.Players {
			part.Right = append(part.Right, score.Right)
		}
		all = append(all, part)
	}
	return all
}

// Text is the report for people, the players of a part below each other, with 95 % intervals in brackets.
func (r Report) Text() string {
	width := len("player")
	for _, part := range r {
		for _, p := range part.Players {
			width = max(width, len(p.Player))
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-14s  %9s  %-*s  %s\n", "", "positions", width, "player", "right moves")
	for _, part := range r {
		for i, p := range part.Players {
			name, positions := part.Cell.String(), fmt.Sprint(p.Positions)
			if i > 0 {
				name, positions = "", ""
			}
			fmt.Fprintf(&b, "%-14s  %9s  %-*s  %s\n", name, positions, width, p.Player, p.Right)
		}
	}
	return b.String()
}

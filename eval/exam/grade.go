package exam

import (
	"context"
	"fmt"
	"strings"

	"tengen/eval/grade"
	"tengen/game/connect4"
	"tengen/players"
)

// Part is how players do in one cell.
type Part struct {
	Cell    Cell    `json:"cell"`
	Players []Score `json:"players"`
}

// Score is how one player does in a cell. Where its move does not keep the result of the position, it has thrown value away.
type Score struct {
	Player string       `json:"player"`
	Totals grade.Totals `json:"totals"`
	Thrown grade.Share  `json:"thrown_away"`
}

// Report has a part for each cell, in the order of Cells.
type Report []Part

// For is the exam of the standard board, nil for others.
func For(g *connect4.Game) grade.Exam[connect4.State] {
	if g.Name() != standard.Name() {
		return nil
	}
	return whole{}
}

// whole is the exam as a grade.Exam.
type whole struct{}

// Take implements grade.Exam.
func (whole) Take(ctx context.Context, cfg grade.Config, half grade.Half, positions int, players []players.Entrant[connect4.State],
	progress func(done, total int)) (grade.ExamReport, error) {
	problems := grade.Spread(Connect4(half), positions)
	return Grade(ctx, cfg, problems, players, func(done int) { progress(done, len(problems)) })
}

// Grade puts the problems to each player and returns a part for each cell that has problems, in the order of Cells. It is
// grade.Run for each cell.
func Grade(ctx context.Context, cfg grade.Config, problems []Problem, players []players.Entrant[connect4.State],
	done func(problems int)) (Report, error) {
	byCell := map[Cell][]grade.Problem[connect4.State]{}
	for _, p := range problems {
		byCell[p.Cell] = append(byCell[p.Cell], p.Problem)
	}
	var parts Report
	before := 0
	for _, cell := range Cells {
		problems := byCell[cell]
		if len(problems) == 0 {
			continue
		}
		report, err := grade.Run(ctx, cfg, standard, problems, players, func(n int) {
			if done != nil {
				done(before + n)
			}
		})
		if err != nil {
			return nil, err
		}
		before += len(problems)
		part := Part{Cell: cell}
		for _, p := range report.Players {
			kept := p.All.Kept
			part.Players = append(part.Players, Score{p.Player, p.All, grade.Share{Count: kept.Of - kept.Count, Of: kept.Of}})
		}
		parts = append(parts, part)
	}
	return parts, nil
}

// Parts implements grade.ExamReport: a move is right that keeps the result of the position.
func (parts Report) Parts() (all []grade.ExamPart) {
	for _, p := range parts {
		part := grade.ExamPart{Name: p.Cell.String(), Positions: p.Players[0].Totals.Positions()}
		for _, score := range p.Players {
			part.Right = append(part.Right, score.Totals.Kept)
		}
		all = append(all, part)
	}
	return all
}

// Text is the report for people, the players of a cell below each other, with 95 % intervals in brackets.
func (parts Report) Text() string {
	width := len("player")
	for _, part := range parts {
		for _, p := range part.Players {
			width = max(width, len(p.Player))
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-17s  %9s  %-*s  %-22s  %10s  %s\n", "", "positions", width, "player", "best move", "value kept", "value thrown away")
	for _, part := range parts {
		for i, p := range part.Players {
			name, positions := part.Cell.String(), fmt.Sprint(p.Totals.Positions())
			if i > 0 {
				name, positions = "", ""
			}
			fmt.Fprintf(&b, "%-17s  %9s  %-*s  %-22s  %8.1f %%  %s\n",
				name, positions, width, p.Player, p.Totals.Optimal, 100*p.Totals.Kept.Value(), p.Thrown)
		}
	}
	return b.String()
}

package gtp

import (
	"errors"
	"fmt"
	"strings"

	"tengen/engine"
	"tengen/game"
)

// board is the position of a game, in the protocol's words.
type board struct {
	game     engine.Game
	info     engine.Info
	position engine.Position
	past     []engine.Position // before it, for undo
}

const pass = "pass"

// vertices returns the moves of a line from a position.
func (b *board) vertices(p engine.Position, line ...game.Action) []string {
	names := p.Names(line)
	for i, target := range p.Targets(line) {
		names[i] = b.vertex(target, names[i])
	}
	return names
}

func (b *board) vertex(to game.Target, notation string) string {
	family, _, _ := strings.Cut(b.info.Name, ":")
	return game.Vertex(family, b.info.Size, to, notation)
}

// move reads a legal move. After the end of a game with passes, a pass is game.None.
func (b *board) move(p engine.Position, vertex string) (game.Action, error) {
	if p.Over && b.info.Passes && strings.EqualFold(vertex, pass) {
		return game.None, nil
	}
	for _, a := range p.Legal {
		if strings.EqualFold(b.vertices(p, a)[0], vertex) {
			return a, nil
		}
	}
	return game.None, errors.New("illegal move")
}

// turn returns the position with a side to move: after a pass of the other side or, in games of putting stones, set up
// without its history.
func (b *board) turn(side game.Side) (engine.Position, error) {
	p := b.position
	if p.ToMove == side || p.Over {
		return p, nil
	}
	if a, err := b.move(p, pass); err == nil {
		if p, err = p.Play(a); err == nil && p.Over {
			err = errors.New("illegal move: the other side is to move, and its pass would end the game")
		}
		return p, err
	}
	p, err := b.game.SetUp(p.Cells, side, game.None)
	if err != nil || !b.info.Placement {
		return p, errors.New("illegal move: the other side is to move")
	}
	return p, nil
}

// play plays a move of p, which turn has returned.
func (b *board) play(p engine.Position, a game.Action) (err error) {
	if a != game.None {
		p, err = p.Play(a)
	}
	if err == nil {
		b.past, b.position = append(b.past, b.position), p
	}
	return err
}

func (b *board) undo() error {
	last := len(b.past) - 1
	if last < 0 {
		return errors.New("cannot undo")
	}
	b.position, b.past = b.past[last], b.past[:last]
	return nil
}

// drawing draws the board with the protocol's labels.
func (b *board) drawing() string {
	p, size := b.position, b.info.Size
	d := game.Drawing{Size: size, Cells: p.Cells, Texts: p.Texts, Joins: b.info.Joins, Last: p.Last.To}
	for c := range size.Columns {
		d.Columns = append(d.Columns, strings.TrimRight(b.vertex(game.Onto(c), ""), "0123456789"))
	}
	for r := range size.Rows {
		d.Rows = append(d.Rows, strings.TrimLeft(b.vertex(game.Onto(r*size.Columns), ""), "A"))
	}
	return "\n" + strings.TrimRight(d.String()+p.Tally, "\n")
}

// score returns a finished game's result. The winner of a game without scores has 1 more.
func (b *board) score() (string, error) {
	margin, scored := b.position.Margin()
	if !scored {
		margin = float64(b.position.Outcome)
	}
	switch {
	case !b.position.Over:
		return "", errors.New("cannot score: the game is not over")
	case margin > 0:
		return fmt.Sprintf("B+%v", margin), nil
	case margin < 0:
		return fmt.Sprintf("W+%v", -margin), nil
	}
	return "0", nil
}

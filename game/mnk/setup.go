package mnk

import (
	"errors"
	"fmt"

	"tengen/game"
)

// FromStones sets up a position. Any numbers of stones and either side to move are valid, as in handicap games.
func (g *Game) FromStones(cells []game.Side, toMove game.Side, last game.Action) (s State, err error) {
	defer func() {
		if err != nil {
			s, err = State{}, fmt.Errorf("position of %s: %w", g.name, err)
		}
	}()
	if err := game.CheckStones(g.size, cells, toMove); err != nil {
		return s, err
	}
	s = State{game: g, last: last}
	if toMove == game.Second {
		s.mover = 1
	}
	for i, side := range cells {
		switch side {
		case game.First:
			s.stones[0].add(i)
		case game.Second:
			s.stones[1].add(i)
		default:
			continue
		}
		s.ply++
	}
	own, opponent := &s.stones[s.mover], &s.stones[1-s.mover]
	s.won = g.wins(opponent, own)
	switch won := g.wins(own, opponent); {
	case won && s.won:
		return s, errors.New("both players have won")
	case won:
		return s, fmt.Errorf("the %v has already won, so it cannot be to move", toMove)
	case last != game.None && (last < 0 || int(last) >= g.cells || cells[last] != toMove.Opponent()):
		return s, fmt.Errorf("last move #%d: there is no stone of the %v, who moved last", last, toMove.Opponent())
	}
	return s, nil
}

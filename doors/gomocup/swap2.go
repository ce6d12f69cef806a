package gomocup

import (
	"context"
	"errors"
	"fmt"

	"tengen/game"
	"tengen/players"
)

// opening has the three stones that tengen places for swap2: black, white, black. Each is a column and row, counted
// from the centre. The third stone's distance limits black's advantage.
var opening = [3][2]int{{0, 0}, {1, 1}, {-2, 2}}

// swap2 answers SWAP2BOARD. On the empty board, it places three stones. Otherwise white is to move. If white is behind,
// swap2 swaps, else it plays white's next stone. The session's board does not change.
func (s *session) swap2(ctx context.Context, c command) error {
	var stones [][]int
	for i, at := range c.stones {
		if len(at) != 2 {
			return fmt.Errorf("stone %d is not x,y before DONE", i+1)
		}
		stones = append(stones, []int{at[0], at[1], 2 - i%2}) // black is the opponent
	}
	next, err := s.board.setUp(stones)
	switch {
	case err != nil:
		return err
	case len(stones) == 0:
		s.Say("%s", s.board.opening())
		return nil
	case len(stones) != 3 && len(stones) != 5:
		return errors.New("SWAP2BOARD wants 0, 3 or 5 stones")
	}
	p, err := next.position()
	if err != nil {
		return err
	}
	s.consider(ctx, c, p, 1, func(report players.Report) {
		if report.Value < 0 {
			s.Say("SWAP")
		} else {
			s.Say("%s", s.board.format(report.Best))
		}
	})
	return nil
}

func (b *board) opening() string {
	size := b.info.Size
	var cells []game.Action
	for _, step := range opening {
		cells = append(cells, game.Action((size.Rows/2+step[1])*size.Columns+size.Columns/2+step[0]))
	}
	return b.format(cells...)
}

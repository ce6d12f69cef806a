package connect4

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"tengen/game"
	"tengen/game/connect4"
)

// ReadScores returns a book for the board of g from lines "<columns played> <score>", such as "44 1": one for each
// unfinished position up to some ply, or for its mirror image, in any order. It returns an error if a position is
// missing or contradicts its moves.
func ReadScores(r io.Reader, g *connect4.Game) (*Book, error) {
	b, err := boardOf(g)
	if err != nil {
		return nil, err
	}
	scores := map[uint64]int8{} // by folded key
	depth, number := 0, 1
	lines := bufio.NewScanner(r)
	for ; lines.Scan(); number++ {
		p, score, err := b.parseScore(lines.Text(), g)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		scores[b.folded(p)] = score
		depth = max(depth, p.ply())
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", number, err)
	}
	return b.bookOf(scores, depth)
}

func (b *board) parseScore(line string, g *connect4.Game) (p position, score int8, err error) {
	columns, number, _ := strings.Cut(line, " ")
	value, err := strconv.Atoi(number)
	if err != nil || value < -b.soonest[1] || value > b.soonest[1] {
		return p, 0, fmt.Errorf("%q does not end in a space and a score from -%d to %d", line, b.soonest[1], b.soonest[1])
	}
	moves, err := g.ParseMoves(columns)
	if err != nil {
		return p, 0, err
	}
	s, err := game.Replay(g, moves)
	if err != nil {
		return p, 0, err
	}
	if _, over := s.Outcome(); over {
		return p, 0, errors.New("the game is over")
	}
	key := s.Key()
	return b.position(key[0], key[1]), int8(value), nil
}

func (b *board) bookOf(scores map[uint64]int8, depth int) (*Book, error) {
	book := &Book{board: b}
	for ply, keys := range b.openings(depth) {
		l := layer{keys: keys}
		for _, key := range keys {
			score, ok := scores[key]
			if !ok {
				return nil, fmt.Errorf("a position of ply %d is missing: its key is %#x", ply, key)
			}
			l.scores = append(l.scores, score)
		}
		book.layers = append(book.layers, l)
	}
	for ply := range depth {
		best := b.fromMoves(book.layers[ply].keys, &book.layers[ply+1])
		for i, score := range book.layers[ply].scores {
			if score != best.scores[i] {
				return nil, fmt.Errorf("a position of ply %d has the score %d, its best move %d: its key is %#x",
					ply, score, best.scores[i], best.keys[i])
			}
		}
	}
	return book, nil
}

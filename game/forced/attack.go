package forced

// search looks for proofs on a board, which its methods leave unchanged.
type search struct {
	board *board
	left  int     // moves to try
	path  []int16 // the moves of a win, from the winner's first to its last
	// Stacks of the running searches.
	threats  []threat
	tries    []int16
	relevant cells // scratch
	failed   failures
}

// threat is a move and its only reply.
type threat struct{ move, reply int16 }

func newSearch(b *board) *search {
	return &search{board: b, relevant: newCells(len(b.set.Actions))}
}

// attack reports whether side a, which is to move, wins by completing a line or by a chain of threats. If so, it
// appends a's moves and the replies to path, up to the stone that completes a line.
func (s *search) attack(a int) bool {
	if cell, _ := s.board.completions(a); cell != none {
		s.path = append(s.path, cell)
		return true
	}
	bottom := len(s.threats)
	won := s.find(a) || s.follow(a, bottom)
	s.threats = s.threats[:bottom]
	return won
}

// find examines a's threatening moves without playing them. It returns true if one threatens two cells, and pushes the
// others to threats. Side a must be to move and unable to complete a line.
func (s *search) find(a int) bool {
	b := s.board
	if must := b.answers(1 - a); !must.free {
		return must.first != none && s.look(a, must.first) || must.second != none && s.look(a, must.second)
	}
	for w, set := range b.making[a].cells {
		for set &= b.playable[w]; set != 0; set &= set - 1 {
			if s.look(a, cellAt(w, set)) {
				return true
			}
		}
	}
	if !b.gravity {
		return false
	}
	for w, set := range b.completing[a].cells {
		for ; set != 0; set &= set - 1 {
			below := b.set.Below[cellAt(w, set)] // not none, or the cell would be playable
			if b.playable.has(below) && !b.making[a].cells.has(below) && s.look(a, below) {
				return true
			}
		}
	}
	return false
}

// look is find for one playable cell. After the move, the opponent must be unable to complete a line, except on the
// cell above.
func (s *search) look(a int, cell int16) bool {
	b := s.board
	if b.opens(1-a, cell) {
		return false
	}
	above, replies := b.above[cell], answers{true, none, none}
	if b.opens(a, cell) {
		replies = replies.and(above, none)
	}
	for _, i := range b.through[cell] {
		l := &b.lines[i]
		if !l.open(a) || l.lacks(a) != 2 {
			continue
		}
		last := l.sum - cell
		if !b.playable.has(last) && last != above {
			continue
		}
		plug := none
		if b.walls {
			plug = b.plug(i, a)
		}
		before := replies.first
		if replies = replies.and(last, plug); replies.first == none {
			s.path = append(s.path, cell, before, last)
			return true
		}
	}
	if !replies.free && replies.second == none {
		s.threats = append(s.threats, threat{cell, replies.first})
	}
	return false
}

// follow plays each of the threats from bottom on with its reply, and attacks.
func (s *search) follow(a, bottom int) bool {
	if len(s.threats) == bottom || s.failed.has(s.board.key, a) {
		return false
	}
	for i := bottom; i < len(s.threats); i++ {
		if s.left == 0 {
			return false
		}
		s.left--
		t := s.threats[i]
		mark := len(s.path)
		s.path = append(s.path, t.move, t.reply)
		s.board.play(a, t.move)
		s.board.play(1-a, t.reply)
		won := s.attack(a)
		s.board.undo(1-a, t.reply)
		s.board.undo(a, t.move)
		if won {
			return true
		}
		s.path = s.path[:mark]
	}
	if s.left > 0 { // no move was left out
		s.failed.add(s.board.key, a)
	}
	return false
}

package forced

// wins reports whether side a, which is to move, wins by attack, or by a forced reply after which its opponent is lost.
// If so, it appends the attack or the reply to path.
func (s *search) wins(a int) bool {
	if s.attack(a) {
		return true
	}
	must := s.board.answers(1 - a)
	for _, cell := range [2]int16{must.first, must.second} {
		if cell == none || s.left == 0 {
			return false
		}
		s.left--
		s.board.play(a, cell)
		won := s.lost(1 - a)
		s.board.undo(a, cell)
		if won {
			s.path = append(s.path, cell)
			return true
		}
	}
	return false
}

// lost reports whether side d, which is to move, loses after every move.
func (s *search) lost(d int) bool {
	if cell, _ := s.board.completions(d); cell != none {
		return false
	}
	bottom := len(s.tries)
	lost := s.defences(d)
	for i := bottom; lost && i < len(s.tries); i++ {
		lost = s.loses(d, s.tries[i])
	}
	s.tries = s.tries[:bottom]
	return lost
}

// survivors returns side d's moves that are not proven to lose. Side d must be unable to complete a line. If limited is
// false, no move is proven to lose and kept is nil. The slice is valid until the next call.
func (s *search) survivors(d int) (kept []int16, limited bool) {
	s.tries = s.tries[:0]
	if !s.defences(d) {
		return nil, false
	}
	n := 0
	for i := range len(s.tries) {
		if cell := s.tries[i]; !s.loses(d, cell) {
			s.tries[n] = cell
			n++
		}
	}
	return s.tries[:n], true
}

// resistance returns a move of the lost side d, preferably one that keeps the opponent from completing a line at once.
func (s *search) resistance(d int) int16 {
	must, _ := s.board.completions(1 - d)
	if a := s.board.answers(1 - d); a.first != none {
		must = a.first
	}
	best := must
	for w, set := range s.board.playable {
		for ; set != 0; set &= set - 1 {
			cell := cellAt(w, set)
			if best == none {
				best = cell
			}
			if (must == none || cell == must) && !s.board.opens(1-d, cell) {
				return cell
			}
		}
	}
	return best
}

// defences pushes to tries the moves of side d that may avert a loss, and returns true: all other moves lose. It
// returns false if it finds no danger or the board is full. Side d must be to move and unable to complete a line.
//
//   - If the opponent threatens, d must answer all threats. At most one cell does, or two where a line can be spoilt.
//   - Without a threat, suppose that d passes. If the opponent then wins by a chain, the same chain wins after every
//     move of d except the spoilers.
//   - Otherwise, where cells lie on others, every move is pushed: it may lose by the cell that it makes playable.
func (s *search) defences(d int) bool {
	b := s.board
	if b.playable.empty() {
		return false
	}
	if must := b.answers(1 - d); !must.free {
		for _, cell := range [2]int16{must.first, must.second} {
			if cell != none {
				s.tries = append(s.tries, cell)
			}
		}
		return true
	}
	mark := len(s.path)
	pushed := b.playable
	if s.attack(1 - d) {
		pushed = s.spoilers(d, s.path[mark:])
		s.path = s.path[:mark]
	} else if !b.gravity {
		return false
	}
	for w, set := range pushed {
		for ; set != 0; set &= set - 1 {
			s.tries = append(s.tries, cellAt(w, set))
		}
	}
	return true
}

// spoilers returns the playable cells where a stone of side d may spoil the chain by which the opponent wins if d
// passes:
//
//   - The chain's cells.
//   - The cells where a stone may let d complete a line before the chain ends. To find them, spoilers puts all replies
//     but the last on the board. The cells are then in lines of d that lack at most two stones, or below a cell that
//     completes a line. Lines that the replies themselves spoil count too, because d may complete them earlier.
//   - If walls spoil lines, the ends and the last empty cell of each line that the chain threatens to complete.
//
// Where cells lie on others, a playable cell in one of the chain's columns is a cell of the chain. So no other stone
// can lift the chain's stones.
func (s *search) spoilers(d int, chain []int16) cells {
	b := s.board
	for i := 1; i < len(chain)-2; i += 2 {
		b.change(d, chain[i], 1)
	}
	for w := range s.relevant {
		s.relevant[w] = b.making[d].cells[w] | b.completing[d].cells[w]
	}
	if b.gravity {
		for w, set := range b.completing[d].cells {
			for ; set != 0; set &= set - 1 {
				if below := b.set.Below[cellAt(w, set)]; below >= 0 {
					s.relevant.add(below)
				}
			}
		}
	}
	for i := len(chain) - 4; i > 0; i -= 2 {
		b.change(d, chain[i], -1)
	}
	for _, cell := range chain {
		s.relevant.add(cell)
	}
	if b.walls {
		for i := 0; i < len(chain)-1; i += 2 {
			b.put(1-d, chain[i])
			b.addLast(s.relevant, 1-d, chain[i])
			b.put(d, chain[i+1])
		}
		for i := len(chain) - 3; i >= 0; i -= 2 {
			b.lift(d, chain[i+1])
			b.lift(1-d, chain[i])
		}
	}
	for w := range s.relevant {
		s.relevant[w] &= b.playable[w]
	}
	return s.relevant
}

// loses reports whether side d loses after a playable move that completes no line.
func (s *search) loses(d int, cell int16) bool {
	if s.board.opens(1-d, cell) {
		return true
	}
	if s.left == 0 {
		return false
	}
	s.left--
	mark := len(s.path)
	s.board.play(d, cell)
	lost := s.wins(1 - d)
	s.board.undo(d, cell)
	s.path = s.path[:mark]
	return lost
}

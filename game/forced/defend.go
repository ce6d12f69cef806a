package forced

// wins reports whether side a, which is to move, wins: by attack, or because a cell of those of which it must take one
// leaves its opponent lost. If so, the moves of attack, or that one move, are appended to path.
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

// lost reports whether side d, which is to move, is lost by force.
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

// survivors returns the moves of side d, which is to move and cannot complete a line, that are not proven to lose. All
// others are; limited is false if nothing is proven of any. They are valid until the next call.
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

// resistance returns a move of side d, which is lost: one after which it is not beaten with the next stone, if it has
// one.
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

// defences pushes the moves of side d to tries that may hold, and returns true; all others lose. Or it returns false:
// it knows of no danger, or the board is full. Side d must be to move and not be able to complete a line.
//
//   - A threat of the opponent leaves one cell, or two where a line can be spoilt, too; several leave those that answer all.
//   - Without a threat, let d pass. If the opponent then wins by a chain of threats, the chain wins after any other move of d
//     as well, unless that takes one of the chain's cells, spoils one of its lines, or completes lines of d together with the
//     replies of the chain: see spoilers.
//   - Otherwise, where cells lie on others, any move may be fatal for what it makes playable, and there are few of them.
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
	spoilers := b.playable
	if s.attack(1 - d) {
		spoilers = s.spoilers(d, s.path[mark:])
		s.path = s.path[:mark]
	} else if !b.gravity {
		return false
	}
	for w, set := range spoilers {
		for ; set != 0; set &= set - 1 {
			s.tries = append(s.tries, cellAt(w, set))
		}
	}
	return true
}

// spoilers returns the playable cells on which a stone of side d may spoil a chain of the opponent, who would play it
// if d passed: the cells of the chain, and those that may give d a line to complete while it makes the replies, in
// answer to which the opponent would have to leave the chain. The latter are in lines that lack at most two stones when
// all replies are on the board, or below a cell that completes one. The last reply does not matter, because the
// opponent wins after it. What the replies would spoil is not taken for spoilt, because a line of d may be of use to it
// before.
//
// Where stones of d spoil lines of the opponent, there are also the ends of those that the chain threatens to complete,
// and the cells that are left of them, which need not be on the chain if a stone at an end was the reply.
//
// Where cells lie on others, no stone off the chain can lift it: it would be in a column of which the chain uses no
// cell.
func (s *search) spoilers(d int, chain []int16) cells {
	b := s.board
	for i := 1; i < len(chain)-2; i += 2 {
		b.fill(d, chain[i])
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
		b.unfill(d, chain[i])
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

// loses reports whether the move of side d to a playable cell, which completes no line, loses.
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

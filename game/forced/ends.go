package forced

// This file is for games in which stones at a line's ends can spoil it: see game.LineSet. In other games, only a stone
// on a line's last empty cell stops it.

// respoil finds out again which of the lines with an end on cell are spoilt.
func (b *board) respoil(cell int16) {
	if b.ending == nil {
		return
	}
	for _, i := range b.ending[cell] {
		l := &b.lines[i]
		for s := range 2 {
			before, now := l.closed[s], l.stones[1-s]
			if b.ruined(i, s) {
				now++
			}
			l.closed[s] = now
			switch {
			case before == 0 && now > 0:
				b.count(s, i, -1)
			case before > 0 && now == 0:
				b.count(s, i, 1)
			}
		}
	}
}

// ruined implements game.LineSet.Spoilt for side s.
func (b *board) ruined(i int32, s int) bool {
	ends := b.set.Ends[i]
	holds := func(s int, end int16) bool { return end >= 0 && b.stones[s].has(end) }
	return b.set.Exact && (holds(s, ends[0]) || holds(s, ends[1])) ||
		b.walls && holds(1-s, ends[0]) && holds(1-s, ends[1])
}

// plug returns the playable cell where the opponent would spoil line i for side s, or none.
func (b *board) plug(i int32, s int) int16 {
	for side, end := range b.set.Ends[i] {
		other := b.set.Ends[i][1-side]
		if end >= 0 && other >= 0 && b.stones[1-s].has(end) && b.playable.has(other) {
			return other
		}
	}
	return none
}

// answers are the cells where one stone stops all of some lines, which the other side could else complete at once.
type answers struct {
	free          bool  // all cells: there are no such lines
	first, second int16 // none if there are fewer
}

// and returns the answers that also stop one more line. Only a stone on x or y (or none) stops that line.
func (a answers) and(x, y int16) answers {
	if a.free {
		return answers{false, x, y}
	}
	if a.second != x && a.second != y {
		a.second = none
	}
	if a.first != x && a.first != y {
		a.first, a.second = a.second, none
	}
	return a
}

// answers returns the answers to all lines that s can complete.
func (b *board) answers(s int) answers {
	first, second := b.completions(s)
	switch {
	case first == none:
		return answers{true, none, none}
	case !b.walls && second == none:
		return answers{false, first, none}
	case !b.walls:
		return answers{false, none, none}
	}
	found := answers{true, none, none}
	for w, set := range b.completing[s].cells {
		for ; set != 0; set &= set - 1 {
			cell := cellAt(w, set)
			for _, i := range b.through[cell] {
				if l := &b.lines[i]; l.open(s) && l.lacks(s) == 1 {
					found = found.and(cell, b.plug(i, s))
				}
			}
		}
	}
	return found
}

// addLast adds to set the last empty cell and the ends of each line that side s can complete after its stone on cell.
func (b *board) addLast(set cells, s int, cell int16) {
	for _, i := range b.through[cell] {
		l := &b.lines[i]
		if !l.open(s) || l.lacks(s) != 1 {
			continue
		}
		set.add(l.sum)
		for _, end := range b.set.Ends[i] {
			if end >= 0 {
				set.add(end)
			}
		}
	}
}

package mnk

import "math/bits"

type position struct{ attacker, defender uint64 }

func (p position) stones() uint64 { return p.attacker | p.defender }

const never = 1000 // distance if the attacker completes no line

// attack bounds the distance: the number of plies in which the attacker, who is to move, completes a line, if it
// hurries and the defender delays. A result of at most n is an upper bound, a result above n a lower bound. The
// attacker must not be able to complete a line at once; n is odd, at most the number of empty cells.
func (s *Solver) attack(p position, n int) int {
	s.visit()
	moves := s.board.completing(p.defender, p.attacker)
	if moves&(moves-1) != 0 {
		return never // the defender completes one of several lines
	}
	forced := moves != 0
	if !forced {
		moves = s.board.all &^ p.stones()
	}
	var c census
	s.board.count(&c, p.attacker, p.defender)
	if c.forks&moves != 0 {
		return 3
	}
	least := max(5, 2*c.fastest(s.board.k, makerFirst)-1)
	if least > n || s.err != nil {
		return least
	}
	if forced {
		return 1 + s.defend(position{p.attacker | moves, p.defender}, n-1)
	}
	if distance, known := s.table.look(p, attacking, n); known {
		return distance
	}
	var order ordering
	s.board.order(&order, p.attacker, p.defender, moves)
	distance := never
	for _, cell := range order.cells[:order.n] {
		distance = min(distance, 1+s.defend(position{p.attacker | 1<<cell, p.defender}, n-1))
		if distance <= n {
			break
		}
	}
	s.remember(p, attacking, n, distance)
	return distance
}

// defend is attack with the defender to move, who must not be able to complete a line at once; n is even.
func (s *Solver) defend(p position, n int) int {
	s.visit()
	forced := s.board.completing(p.attacker, p.defender)
	if forced&(forced-1) != 0 {
		return 2
	}
	if forced != 0 {
		return 1 + s.attack(position{p.attacker, p.defender | forced}, n-1)
	}
	var c census
	s.board.count(&c, p.attacker, p.defender)
	least := 4
	if c.forks == 0 {
		least = 6
	}
	least = max(least, 2*c.fastest(s.board.k, breakerFirst))
	if least > n || s.err != nil {
		return least
	}
	if distance, known := s.table.look(p, defending, n); known {
		return distance
	}
	var order ordering
	s.board.order(&order, p.defender, p.attacker, s.replies(p, &c))
	distance := 4
	for _, cell := range order.cells[:order.n] {
		distance = max(distance, 1+s.attack(position{p.attacker, p.defender | 1<<cell}, n-1))
		if distance > n {
			break
		}
	}
	s.remember(p, defending, n, distance)
	return distance
}

// replies returns the defender's moves that do not lose to a fork: the cells that spoil every fork, and threats to
// complete a line, which the attacker must answer. The attacker must have no threat yet.
func (s *Solver) replies(p position, c *census) uint64 {
	cells := s.board.all &^ p.stones()
	if c.forks == 0 {
		return cells
	}
	for set := c.forks; set != 0; set &= set - 1 {
		fork := bits.TrailingZeros64(set)
		spoils := uint64(1) << fork
		if links := c.links[fork]; bits.OnesCount64(links) == 2 {
			spoils |= links
		}
		cells &= spoils
	}
	return cells | s.board.threatening(p.defender, p.attacker)
}

func (s *Solver) remember(p position, m mover, n, distance int) {
	if s.err == nil {
		s.table.store(p, m, n, distance)
	}
}

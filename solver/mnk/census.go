package mnk

import (
	"math/bits"

	"tengen/game/mnk"
)

// census describes one side's open lines, those without stones of the other side.
type census struct {
	open  [mnk.MaxSide + 1]int // [m]: lines missing m stones
	links [maxCells]uint64     // [cell]: the cells that then complete a line
	forks uint64               // with at least two links
}

// count takes the census of own into c, which must be zero. Open lines must miss at least two stones.
func (b *board) count(c *census, own, other uint64) {
	for _, line := range b.lines {
		if line&other != 0 {
			continue
		}
		missing := line &^ own
		m := bits.OnesCount64(missing)
		c.open[m]++
		if m != 2 {
			continue
		}
		first, second := bits.TrailingZeros64(missing), bits.Len64(missing)-1
		c.link(first, second)
		c.link(second, first)
	}
}

func (c *census) link(taken, cell int) {
	links := &c.links[taken]
	*links |= 1 << cell
	if *links&(*links-1) != 0 {
		c.forks |= 1 << taken
	}
}

// Limits of fastest, in halves.
const (
	makerFirst   = 1
	breakerFirst = 2
)

// fastest returns the least number of stones with which the census's side may complete a line, or never.
//
// By the theorem of Erdős and Selfridge ("On a combinatorial game", 1973), Breaker keeps Maker from filling any of a
// set of lines if the sum of 2^-missing over them is less than 1, or less than 1/2 if Maker moves first. A Maker with m
// stones left cannot fill a line that misses more. The sum here is 2^k times as large.
func (c *census) fastest(k, halves int) int {
	potential := 0
	for m := 1; m <= k; m++ {
		potential += c.open[m] << (k - m)
		if 2*potential >= halves<<k {
			return m
		}
	}
	return never
}

func (b *board) threatening(own, other uint64) uint64 {
	var cells uint64
	for _, line := range b.lines {
		if missing := line &^ own; line&other == 0 && bits.OnesCount64(missing) == 2 {
			cells |= missing
		}
	}
	return cells
}

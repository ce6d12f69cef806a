package selfplay

import (
	"math"
	"math/bits"
)

// checksum covers a game's evaluations, see replay.Record.Evaluations. Replaying a game therefore reveals a network
// that differs in one bit, even if all moves are the same.
type checksum uint32

// add includes an evaluation: prior [actions], and value for the side to move of the position evaluated. Mixing a
// number in is reversible, so a difference in one number changes the sum.
func (c *checksum) add(prior []float32, value float32) {
	h := uint32(*c)
	for _, p := range prior {
		h = mix(h, p)
	}
	*c = checksum(mix(h, value))
}

func mix(h uint32, x float32) uint32 {
	return bits.RotateLeft32(h^math.Float32bits(x), 15) * 0x9e3779b1 // odd, near 2^32 / golden ratio
}

// sum returns the checksum, never 0, which means unknown.
func (c checksum) sum() uint32 { return max(uint32(c), 1) }

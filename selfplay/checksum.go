package selfplay

import (
	"math"
	"math/bits"
)

// checksum covers the evaluations of a game, replay.Record.Evaluations. A worker whose network differs from the run's
// in one bit may send the same moves in most of its games, but it sends another checksum: repeating one game is enough
// to notice.
type checksum uint32

// add takes in an evaluation. Each step maps sums to sums one to one, so that one number which differs gives another
// sum.
func (c *checksum) add(prior []float32, value float32) {
	h := uint32(*c)
	for _, p := range prior {
		h = mix(h, p)
	}
	*c = checksum(mix(h, value))
}

func mix(h uint32, x float32) uint32 {
	return bits.RotateLeft32(h^math.Float32bits(x), 15) * 0x9e3779b1 // odd, and near 2^32 divided by the golden ratio
}

// sum is never 0, which means that it is not known.
func (c checksum) sum() uint32 { return max(uint32(c), 1) }

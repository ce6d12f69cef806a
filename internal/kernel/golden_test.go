package kernel_test

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"testing"

	"tengen/internal/kernel"
)

// TestBitsOnEveryArchitecture: plain Go has the same bits everywhere, and NEON has AVX2's. The channels leave a rest to
// plain Go.
func TestBitsOnEveryArchitecture(t *testing.T) {
	want := map[string]uint32{"go": 0xeff61b4a, "avx2": 0x0797c1ea, "neon": 0x0797c1ea}
	eachSet(t, func(t *testing.T) {
		if kernel.Name() == "avx512" {
			t.Skip("no other architecture has its bits")
		}
		var bits []byte
		add := func(x []float32) {
			for _, v := range x {
				bits = binary.LittleEndian.AppendUint32(bits, math.Float32bits(v))
			}
		}
		for _, s := range [][4]int{{7, 6, 16, 24}, {9, 7, 13, 29}} {
			c := drawConvolution(newRand(80), s[0], s[1], s[2], s[3], 5)
			y, dx, dweight := c.runAt([8]int{})
			add(y)
			add(dx)
			add(dweight)
		}
		if got := crc32.ChecksumIEEE(bits); got != want[kernel.Name()] {
			t.Errorf("the results' checksum is 0x%08x, want 0x%08x", got, want[kernel.Name()])
		}
	})
}

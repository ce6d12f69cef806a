package kernel_test

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"testing"

	"tengen/internal/kernel"
)

// TestBitsOnEveryArchitecture: plain Go has the same bits everywhere, and so has all assembly. AVX-512 leaves 8 of 13, of
// 24 and of 29 channels to AVX2, and all sets leave 5 of 13 and of 29 to plain Go.
func TestBitsOnEveryArchitecture(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		want := uint32(0x0797c1ea)
		if kernel.Name() == "go" {
			want = 0xeff61b4a
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
		if got := crc32.ChecksumIEEE(bits); got != want {
			t.Errorf("the results' checksum is 0x%08x, want 0x%08x", got, want)
		}
	})
}

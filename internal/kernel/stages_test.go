package kernel

import "testing"

// A board of two tiles of full size needs 36 products of 2 rows for each pair of channels. On 7x6, edges need fewer.
func TestOperations(t *testing.T) {
	for _, c := range []struct {
		height, width int
		want          float64
	}{
		{8, 4, 2 * 36 * 2 * 3 * 5},
		{4, 2, 2 * 6 * 4 * 3 * 5}, // 6x4 points give 4x2 outputs
	} {
		if got := NewConv(c.height, c.width, 3, 5).operations(); got != c.want {
			t.Errorf("%dx%d: %v operations, want %v", c.height, c.width, got, c.want)
		}
	}
}

package grade

import (
	"reflect"
	"testing"
)

func TestSpread(t *testing.T) {
	all := []int{0, 1, 2, 3, 4, 5, 6}
	for n, want := range map[int][]int{0: {}, 1: {0}, 3: {0, 2, 4}, 7: all, 9: all} {
		if got := Spread(all, n); !reflect.DeepEqual(got, want) {
			t.Errorf("%d of 7: %v; want %v", n, got, want)
		}
	}
}

package chart

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      []string
	}{
		{0, 1, []string{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}},
		{0.35, 0.98, []string{"0.2", "0.4", "0.6", "0.8", "1.0"}},
		{-200, 433, []string{"-200", "0", "200", "400", "600"}},
		{0, 0.004, []string{"0.000", "0.001", "0.002", "0.003", "0.004"}},
		{0, 41, []string{"0", "10", "20", "30", "40", "50"}},
	} {
		var got []string
		for _, mark := range ticks(c.low, c.high) {
			got = append(got, mark.Label)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v to %v: %q, want %q", c.low, c.high, got, c.want)
		}
	}
}

// The marks enclose the range, are few, and their labels are their values.
func TestTicksEnclose(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Float64Range(-1e6, 1e6).Draw(t, "low")
		span := rapid.Float64Range(1e-3, 1e6).Draw(t, "span")
		marks := ticks(low, low+span)
		if n := len(marks); n < 3 || n > 7 {
			t.Fatalf("%d marks", n)
		}
		const slack = 1e-5
		if first, last := marks[0].Value, marks[len(marks)-1].Value; first > low+slack*span || last < low+span-slack*span {
			t.Fatalf("marks from %v to %v", first, last)
		}
		for _, mark := range marks {
			if x, err := strconv.ParseFloat(mark.Label, 64); err != nil || math.Abs(x-mark.Value) > 1e-8 {
				t.Fatalf("the label of %v is %q", mark.Value, mark.Label)
			}
		}
	})
}

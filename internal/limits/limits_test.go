package limits

import (
	"math"
	"testing"
)

// The ends of a range are in it, or are not, as each function says; an error names key, value and range.
func TestLimits(t *testing.T) {
	for _, test := range []struct {
		limit Limit
		want  string
	}{
		{Int("a", 1, 1, 3), ""},
		{Int("a", 3, 1, 3), ""},
		{Int("a", 0, 1, 3), "s.a is 0, allowed are 1 to 3"},
		{Int("a", 10_000_001, 1, 10_000_000), "s.a is 10000001, allowed are 1 to 10000000"},
		{Float("a", 0, 0, 0.5), ""},
		{Float("a", 0.5, 0, 0.5), ""},
		{Float("a", -0.25, 0, 0.5), "s.a is -0.25, allowed are 0 to 0.5"},
		{Float("a", 1, 0, 0.5), "s.a is 1, allowed are 0 to 0.5"},
		{Float("a", math.NaN(), 0, 1e9), "s.a is NaN, allowed are 0 to 1e+09"},
		{Above("a", 1, 0, 1), ""},
		{Above("a", 0, 0, 1), "s.a is 0, allowed are numbers above 0 up to 1"},
		{Above("a", 1.5, 0, 1), "s.a is 1.5, allowed are numbers above 0 up to 1"},
		{Above("a", math.NaN(), 0, 1), "s.a is NaN, allowed are numbers above 0 up to 1"},
		{Below("a", 0, 0, 1), ""},
		{Below("a", 1, 0, 1), "s.a is 1, allowed are numbers from 0 to below 1"},
		{Below("a", -1, 0, 1), "s.a is -1, allowed are numbers from 0 to below 1"},
		{Below("a", math.NaN(), 0, 1), "s.a is NaN, allowed are numbers from 0 to below 1"},
		{OneOf("a", "y", "x", "y"), ""},
		{OneOf("a", "", "x", "y"), `s.a is "", allowed are x and y`},
		{OneOf("a", "w", "x", "y", "z"), `s.a is "w", allowed are x, y and z`},
	} {
		got := ""
		if err := Check("s", test.limit); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("error %q, want %q", got, test.want)
		}
	}
}

// Check reports the first value out of range, and leaves an empty section out.
func TestCheck(t *testing.T) {
	err := Check("", Int("a", 1, 1, 3), Int("b", 4, 1, 3), Int("c", 5, 1, 3))
	if want := "b is 4, allowed are 1 to 3"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

package limits

import (
	"fmt"
	"math"
	"testing"
)

type inner struct {
	Words string `json:"words" default:"x" range:"x|y|z"`
}

type settings struct {
	Closed int     `json:"closed" default:"1" range:"[1,1e7]"`
	Above  float64 `json:"above" default:"0.5" range:"(0,1]"`
	Below  float64 `json:"below" range:"[-1,1)"`
	Free   string  `json:"free" default:"any"`
	On     bool    `json:"on" default:"true"`
	Inner  inner   `json:"inner"`
}

func TestDefault(t *testing.T) {
	got := fmt.Sprint(Default[settings]())
	if want := "{1 0.5 0 any true {x}}"; got != want {
		t.Errorf("the default is %s, want %s", got, want)
	}
}

// The bounds of a range are in it or not, as its brackets say; an error names key, value and range.
func TestCheck(t *testing.T) {
	for _, test := range []struct {
		change func(c *settings)
		want   string
	}{
		{func(c *settings) {}, ""},
		{func(c *settings) { c.Closed, c.Above, c.Below = 1e7, 1, -1 }, ""},
		{func(c *settings) { c.Closed = 0 }, "s.closed is 0, but must be 1 to 10000000"},
		{func(c *settings) { c.Closed = 10_000_001 }, "s.closed is 10000001, but must be 1 to 10000000"},
		{func(c *settings) { c.Above = 0 }, "s.above is 0, but must be above 0 and at most 1"},
		{func(c *settings) { c.Above = 1.5 }, "s.above is 1.5, but must be above 0 and at most 1"},
		{func(c *settings) { c.Above = math.NaN() }, "s.above is NaN, but must be above 0 and at most 1"},
		{func(c *settings) { c.Below = 1 }, "s.below is 1, but must be at least -1 and below 1"},
		{func(c *settings) { c.Below = math.Inf(-1) }, "s.below is -Inf, but must be at least -1 and below 1"},
		{func(c *settings) { c.Inner.Words = "" }, `s.inner.words is "", but must be x, y or z`},
	} {
		c := Default[settings]()
		test.change(&c)
		got := ""
		if err := Check("s", c); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("error %q, want %q", got, test.want)
		}
	}
}

func TestIntAndOneOf(t *testing.T) {
	if err := Int("a", 3, 1, 3); err != nil {
		t.Error(err)
	}
	if err := OneOf("a", "y", "x", "y"); err != nil {
		t.Error(err)
	}
	for want, err := range map[string]error{
		"a is 4, but must be 1 to 3":     Int("a", 4, 1, 3),
		`a is "z", but must be x or y`:   OneOf("a", "z", "x", "y"),
		`b is "", but must be x, y or z`: OneOf("b", "", "x", "y", "z"),
	} {
		if err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

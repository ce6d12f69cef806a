package bench

import "testing"

// The figures are computed by hand from the formulas in Load's comment.
func TestLoad(t *testing.T) {
	for _, test := range []struct {
		load    Load
		workers int
		seconds float64
	}{
		{Load{Play: 12, Learn: 4}, 0, 16},
		{Load{Play: 12, Learn: 4}, 1, 10},
		{Load{Play: 12, Learn: 4}, 2, 8},
		{Load{Play: 12, Learn: 4}, 3, 7},
		{Load{Play: 12, Learn: 4}, 11, 5},
		{Load{Play: 3, Learn: 6}, 1, 7.5},
	} {
		if got := test.load.Seconds(test.workers); got != test.seconds {
			t.Errorf("%+v with %d workers takes %v s, want %v", test.load, test.workers, got, test.seconds)
		}
	}
	for _, test := range []struct {
		load         Load
		limit, worth int
		most         float64
	}{
		// 16, 10, 8, 7, 6.4, 6 s: the fourth saves 8.6 %.
		{Load{Play: 12, Learn: 4}, 3, 3, 4},
		// 9, 7.5, 7 s: the second saves 6.7 %.
		{Load{Play: 3, Learn: 6}, 1, 1, 1.5},
		// 10.5, 10.25 s: the first saves 2.4 %.
		{Load{Play: 0.5, Learn: 10}, 1, 0, 1.05},
		{Load{Play: 13, Learn: 4}, 4, 3, 4.25},
	} {
		l := test.load
		if l.Limit() != test.limit || l.Worth() != test.worth || l.Most() != test.most {
			t.Errorf("%+v: limit %d, worth %d, most %v, want %d, %d and %v", l, l.Limit(), l.Worth(), l.Most(), test.limit, test.worth, test.most)
		}
	}
}

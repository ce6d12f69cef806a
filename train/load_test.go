package train

import "testing"

// The figures are computed by hand from the formulas in Load's comment.
func TestLoad(t *testing.T) {
	for _, test := range []struct {
		load         Load
		workers      int
		plain, ahead float64 // seconds
	}{
		{Load{Play: 12, Learn: 4}, 0, 16, 16},
		{Load{Play: 12, Learn: 4}, 1, 10, 12}, // a trainer that only learns waits for its worker
		{Load{Play: 12, Learn: 4}, 2, 8, 6},
		{Load{Play: 12, Learn: 4}, 3, 7, 4},
		{Load{Play: 12, Learn: 4}, 11, 5, 4},
		{Load{Play: 3, Learn: 6}, 1, 7.5, 6},
	} {
		plain, ahead := test.load.Seconds(test.workers, false), test.load.Seconds(test.workers, true)
		if plain != test.plain || ahead != test.ahead {
			t.Errorf("%+v with %d workers takes %v s, %v s ahead, want %v and %v", test.load, test.workers, plain, ahead, test.plain, test.ahead)
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
	if got := (Load{Play: 12, Learn: 4}).Speedup(2, true); got != 16.0/6 {
		t.Errorf("two workers make a run %v times as fast", got)
	}
}

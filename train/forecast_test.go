package train

import (
	"testing"
	"time"

	"tengen/train/checkpoint"
)

// A forecast of a minute: searches grow over the first four iterations.
func TestForecastIterations(t *testing.T) {
	f := Forecast{First: 2, Grown: 10, Grow: 4} // 2, 4, 6, 8, 10, 10 ... seconds
	for _, test := range []struct {
		done, last int
		left       time.Duration
		n          int
	}{
		{0, 1, 2, 1}, {0, 2, 6, 2}, {0, 5, 30, 5}, {0, 8, 60, 8}, {1, 3, 10, 2}, {3, 5, 18, 3}, {5, 5, 0, 1},
	} {
		if got := f.Left(test.done, test.last); got != test.left*time.Second {
			t.Errorf("iterations %d to %d take %v, want %d s", test.done+1, test.last, got, test.left)
		}
		if got := f.Iterations(test.left * time.Second); got != test.n {
			t.Errorf("%d iterations within %d s, want %d", got, test.left, test.n)
		}
	}
	if f, ok := KnownForecast(nil); ok {
		t.Errorf("%+v without metrics", f)
	}
	past := make([]checkpoint.Metrics, 12) // the first two are too old
	past[0].Seconds.Total, past[2].Seconds.Total, past[11].Seconds.Total = 1000, 10, 20
	if f, ok := KnownForecast(past); !ok || f.Left(12, 14) != 6*time.Second {
		t.Errorf("%+v, %v, want 3 s each", f, ok)
	}
}

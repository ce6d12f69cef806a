package run

import (
	"testing"

	"tengen/train/checkpoint"
)

// The parts add up to the whole, over all iterations of the run.
func TestSpentText(t *testing.T) {
	iteration := checkpoint.Metrics{Seconds: checkpoint.Seconds{SelfPlay: 31, Train: 15, Evaluate: 3, Total: 50}, CPUSeconds: 90}
	got := SpentText([]checkpoint.Metrics{iteration, iteration})
	want := "2 iterations took 1:40: self-play 62 %, training 30 %, evaluation 6 %, other 2 %; 180 processor seconds"
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
	got = SpentText([]checkpoint.Metrics{{Seconds: checkpoint.Seconds{Wait: 3, Train: 1, Total: 4}}})
	want = "1 iteration took 0:04: self-play 0 %, waiting for workers 75 %, training 25 %, evaluation 0 %, other 0 %"
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

package cli

import (
	"strings"
	"testing"

	"tengen/bench"
)

// A card without speeds has the reason in their place.
func TestBenchTextOfACardThatFails(t *testing.T) {
	text := benchText(&bench.Report{Device: "a card", DeviceEvaluationsPerSecond: map[int]float64{32: 9}, DeviceProblem: "a card: it is gone"})
	if !strings.Contains(text, "evaluations on a card, batch 32") || !strings.Contains(text, "(a card: it is gone)") {
		t.Error(text)
	}
}

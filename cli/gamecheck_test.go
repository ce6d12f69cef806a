package cli

import (
	"context"
	"strings"
	"testing"

	"tengen/game/conformance"
	"tengen/run"
)

// Findings come gravest first, and a training says what its errors mean.
func TestCheckText(t *testing.T) {
	r := checkReport{Game: "nim", Report: conformance.Report{Findings: []conformance.Finding{
		{Claim: "a", Level: conformance.Remark, Text: "slow"}, {Claim: "b", Level: conformance.Kept},
		{Claim: "c", Level: conformance.Skipped, Text: `rests on "e"`}, {Claim: "d", Level: conformance.Warning, Text: "odd"},
		{Claim: "e", Level: conformance.Failure, Text: "wrong"},
	}}}
	want := "failure     e: wrong\nwarning     d: odd\nremark      a: slow\nskipped     c: rests on \"e\"\nkept        1 claim, which --json names\n"
	if got := r.text(); got != want {
		t.Errorf("%s; want\n%s", got, want)
	}
	for part, trial := range map[string]run.Trial{
		"the value has learned something":            {ValueError: 0.5, ConstantError: 0.9, Learned: true},
		"0.90: that is no clear gain. A ":            {ValueError: 0.89, ConstantError: 0.9},
		"is 0.25; always predicting the mean result": {ValueError: 0.25},
		"On 9 games not used for training, 7 drawn,": {Unseen: 9, Draws: 7},
	} {
		if got := trialText(trial); !strings.Contains(got, part) {
			t.Errorf("%+v: %q; want %q", trial, got, part)
		}
	}
}

// An interrupted training does not lose the report on the rules.
func TestCheckInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	code, out, _ := cli(ctx, strings.NewReader(""), "game", "check", "tictactoe")
	if code == exitOK || !strings.Contains(out, "a random game:") || strings.Contains(out, "training") {
		t.Errorf("exit status %d, %s", code, out)
	}
}

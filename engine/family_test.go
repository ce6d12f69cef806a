package engine

import (
	"slices"
	"testing"

	"tengen/game/mnk"
)

// A family without a list of games offers the one that its name opens. A list, even an empty one, is what counts.
func TestUsualBoard(t *testing.T) {
	square := func(numbers string) (*mnk.Game, error) {
		if numbers == "" {
			numbers = "3,3,3"
		}
		return mnk.Parse(numbers)
	}
	for _, c := range []struct {
		family Rules[mnk.State, *mnk.Game]
		want   []string
	}{
		{Rules[mnk.State, *mnk.Game]{Name: "square", Parse: square}, []string{"square"}},
		{Rules[mnk.State, *mnk.Game]{Name: "square", Parse: mnk.Parse}, nil}, // which needs numbers
		{Rules[mnk.State, *mnk.Game]{Name: "square", Parse: square, Boards: []string{"square:4,4,4"}}, []string{"square:4,4,4"}},
		{Rules[mnk.State, *mnk.Game]{Name: "square", Parse: square, Boards: []string{}}, nil},
	} {
		if got := c.family.boards(); !slices.Equal(got, c.want) {
			t.Errorf("%q and a list of %q offer %q; want %q", c.family.Name, c.family.Boards, got, c.want)
		}
	}
}

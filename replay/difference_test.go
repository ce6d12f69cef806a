package replay

import (
	"slices"
	"strings"
	"testing"

	"tengen/internal/frame"
)

// Every change of a game is found where it first shows, and none where there is none.
func TestDifference(t *testing.T) {
	if text := Difference(golden(), golden()); text != "" {
		t.Errorf("a game differs from itself: %s", text)
	}
	same := golden()
	same.Number, same.Seed, same.Model = 1, 2, 3
	if text := Difference(same, golden()); text != "" {
		t.Errorf("who played the game is a difference: %s", text)
	}
	same.Evaluations = 7
	if Difference(same, golden())+Difference(golden(), same) != "" {
		t.Error("it is a difference to know the checksum of the evaluations")
	}
	for want, change := range map[string]func(*Record){
		"the action at ply 0 is 7, it should be 8":                                func(g *Record) { g.Moves[0] = 7 },
		"the length of the opening is 2, it should be 1":                          func(g *Record) { g.Opening = 2 },
		"the search at ply 1: the value is 0.5, it should be 0.25":                func(g *Record) { g.Values[0] = 0.5 },
		"the search at ply 1: the policy is ":                                     func(g *Record) { g.Policy.shares[0]++ },
		"the search at ply 3: the policy is ":                                     func(g *Record) { g.Policy.actions[3]++ },
		"the search at ply 3: the number of simulations is 799, it should be 800": func(g *Record) { g.Simulations[2]-- },
		"the search at ply 4: the weight is 1, it should be 0":                    func(g *Record) { g.Weights[3] = 1 },
		"the action at ply 5 is 5, it should be 2":                                func(g *Record) { g.Moves[5] = 5 },
		"the number of moves is 5, it should be 6":                                func(g *Record) { g.Moves = g.Moves[:5] },
		"the outcome for the first player is 1, it should be -1":                  func(g *Record) { g.Outcome = 1 },
		"the checksum of the network's evaluations is 11, it should be 10":        func(g *Record) { g.Evaluations = 11 },
	} {
		known := golden()
		known.Evaluations = 10
		got := known.clone()
		change(got)
		if text := Difference(got, known); !strings.HasPrefix(text, want) {
			t.Errorf("the difference is %q, want %q", text, want)
		}
	}
}

// Whatever byte of a record changes, so that it can still be read, is a difference, unless it is about who played the game.
func TestDifferenceOfBytes(t *testing.T) {
	want := golden()
	data := encode(t, want)
	body := data[:len(data)-4]
	read := 0
	for i := range body {
		for bit := range 8 {
			changed := slices.Clone(body)
			changed[i] ^= 1 << bit
			var got Record
			if got.UnmarshalBinary(frame.Seal(changed)) != nil {
				continue
			}
			read++
			whose := got.Number != want.Number || got.Seed != want.Seed || got.Model != want.Model
			if text := Difference(&got, want); (text == "") != whose {
				t.Errorf("bit %d of byte %d: the difference is %q", bit, i, strings.TrimSpace(text))
			}
		}
	}
	if read < 100 {
		t.Errorf("only %d changed records can be read", read)
	}
}

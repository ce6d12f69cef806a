package engine

import "testing"

// A word that does not exist is taken for the nearest, and a guess is offered only for a slip.
func TestNearest(t *testing.T) {
	keys := []string{"game", "seed", "net.channels", "train.gate.games", "selfplay.reuse_tree"}
	for text, want := range map[string]struct{ nearest, guess string }{
		"net.chanels":        {"net.channels", "; did you mean net.channels?"},
		"nett.chanels":       {"net.channels", "; did you mean net.channels?"},
		"nett.chanel":        {},
		"sed":                {"seed", "; did you mean seed?"},
		"sede":               {"seed", "; did you mean seed?"},
		"gmae":               {"game", "; did you mean game?"},
		"sd":                 {},
		"train.gate.point":   {},
		"selfplay.fresh_tre": {},
	} {
		if got, guess := Nearest(text, keys), DidYouMean(text, keys); got != want.nearest || guess != want.guess {
			t.Errorf("%s is taken for %s, %q, want %+v", text, got, guess, want)
		}
	}
	if guess := DidYouMean("seed", nil); guess != "" {
		t.Errorf("among no words the guess is %q", guess)
	}
}

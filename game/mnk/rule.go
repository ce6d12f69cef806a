package mnk

import (
	"fmt"
	"slices"
	"strings"

	"tengen/game"
)

// Rule restricts which rows of k or more stones win. Exact and Caro can be combined with |. After a row that does not
// win, play continues.
//
// Gomoku managers number these rules: 0 is Freestyle, 1 Exact, 8 Caro, 9 both. Caro follows Piskvork, by Petr
// Laštovička (github.com/plastovicka/Piskvork, source/game.cpp, doMove1): five with opposing stones at both ends do not
// win; six or more always do, unless the rule is also Exact. The board's edge blocks nothing, unlike in Gomocup's judge
// (github.com/Gomocup/GomocupJudge, client/ai_match.py).
type Rule uint8

const (
	Freestyle Rule = 0
	Exact     Rule = 1 << 0 // rows of more than k do not win: standard gomoku
	Caro      Rule = 1 << 1 // rows of exactly k between two opposing stones do not win
)

var ruleWords = [...]struct {
	rule Rule
	word string
}{{Exact, "exact"}, {Caro, "caro"}}

// String returns text such as "freestyle" or "exact,caro".
func (r Rule) String() string {
	if r == Freestyle {
		return "freestyle"
	}
	return r.suffix()[1:]
}

func (r Rule) suffix() (text string) {
	for _, w := range ruleWords {
		if r&w.rule != 0 {
			text += "," + w.word
		}
	}
	return text
}

func (r Rule) check(k int) error {
	switch {
	case r&^(Exact|Caro) != 0:
		return fmt.Errorf("rule %d is unknown: combine %d (%v) and %d (%v)", r, Exact, Exact, Caro, Caro)
	case r != Freestyle && k < 2:
		return fmt.Errorf("k is %d: it must be at least 2 for the rule %v, because the first stone wins otherwise", k, r)
	}
	return nil
}

// cutRule splits a board's numbers from its rule words, in any order.
func cutRule(text string) (numbers string, r Rule, err error) {
	parts := strings.Split(text, ",")
	if len(parts) <= 3 {
		return text, Freestyle, nil
	}
	for _, part := range parts[3:] {
		named := Freestyle
		for _, w := range ruleWords {
			if strings.TrimSpace(part) == w.word {
				named = w.rule
			}
		}
		if named == Freestyle || r&named != 0 {
			return "", r, fmt.Errorf("board %q: %q is not a rule or is repeated: after columns,rows,k write exact, caro or both, such as 15,15,5,exact",
				text, part)
		}
		r |= named
	}
	return strings.Join(parts[:3], ","), r, nil
}

// wins reports whether own holds a line that the rule lets win.
func (g *Game) wins(own, opponent *bitboard) bool {
	held := func(cell int) game.Side {
		switch {
		case own.has(cell):
			return game.First
		case opponent.has(cell):
			return game.Second
		}
		return game.Nobody
	}
	for i, line := range g.lines.Cells {
		open := slices.ContainsFunc(line, func(cell int16) bool { return !own.has(int(cell)) })
		if !open && !g.lines.Spoilt(i, game.First, held) {
			return true
		}
	}
	return false
}

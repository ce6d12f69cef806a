package mnk

import (
	"fmt"
	"strings"
)

// Rule says which rows of k stones or more win: all, or not those that it names. Exact and Caro can be combined by |. A
// row that does not win stays on the board, and the game goes on.
//
// The rules are those of gomoku's managers, where they are numbers: 0 is Freestyle, 1 Exact, 8 Caro, 9 both. What Caro
// means is taken from Piskvork, by Petr Laštovička (github.com/plastovicka/Piskvork, source/game.cpp, doMove1): a row
// of exactly five does not win if the cells at both ends hold stones of the opponent, while six or more win whatever is
// at their ends, unless the rule is Exact, too. The edge of the board blocks nothing. Gomocup's judge
// (github.com/Gomocup/GomocupJudge, client/ai_match.py) agrees but for the edge, which it takes for a block in the
// version that we have read. c-gomoku-cli knows 0 and 1 alone.
type Rule uint8

const (
	Freestyle Rule = 0
	Exact     Rule = 1 << 0 // rows of more than k do not win: standard gomoku
	Caro      Rule = 1 << 1 // rows of k do not win between two stones of the opponent
)

// ruleWords are the words of the rules in the names of boards, in their order.
var ruleWords = [...]struct {
	rule Rule
	word string
}{{Exact, "exact"}, {Caro, "caro"}}

// String is "freestyle", "exact", "caro" or "exact,caro".
func (r Rule) String() string {
	if r == Freestyle {
		return "freestyle"
	}
	return r.suffix()[1:]
}

// suffix is what the rule adds to the numbers of a board, such as ",exact".
func (r Rule) suffix() (text string) {
	for _, w := range ruleWords {
		if r&w.rule != 0 {
			text += "," + w.word
		}
	}
	return text
}

// check returns an error if there is no such rule for k in a row.
func (r Rule) check(k int) error {
	switch {
	case r&^(Exact|Caro) != 0:
		return fmt.Errorf("there is no rule %d: combine %d, %v, and %d, %v", r, Exact, Exact, Caro, Caro)
	case r != Freestyle && k < 2:
		return fmt.Errorf("k is %d: it must be at least 2 for the rule %v, because the first stone wins otherwise", k, r)
	}
	return nil
}

// cutRule separates the numbers of a board from the words of its rule, which may stand in any order after the third.
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
			return "", r, fmt.Errorf("board %q: %q is no rule, or one too many: after columns,rows,k may stand exact and caro, such as 15,15,5,exact",
				text, part)
		}
		r |= named
	}
	return strings.Join(parts[:3], ","), r, nil
}

// wins reports whether the stone on cell, which is part of k or more in a row, wins: whether one of the rows through it
// is none of those that do not by the rule.
func (g *Game) wins(own, opponent *bitboard, cell int) bool {
	if g.rule == Freestyle {
		return true
	}
	for i := range directions {
		ahead, blocked := g.follow(own, opponent, cell, i, 1)
		behind, alsoBlocked := g.follow(own, opponent, cell, i, -1)
		switch run := ahead + 1 + behind; {
		case run < g.k, run > g.k && g.rule&Exact != 0:
		case run == g.k && g.rule&Caro != 0 && blocked && alsoBlocked:
		default:
			return true
		}
	}
	return false
}

// follow counts the stones of own next to a cell along direction i, or against it with a sign of -1, and reports
// whether a stone of the opponent comes after them.
func (g *Game) follow(own, opponent *bitboard, cell, i, sign int) (run int, blocked bool) {
	for {
		next := g.along(cell, i, sign*(run+1))
		if next < 0 || !own.has(next) {
			return run, next >= 0 && opponent.has(next)
		}
		run++
	}
}

// Package conformance checks whether an implementation of game.Game keeps its contract.
//
// Check looks at every position of random games from fixed seeds, and at the optional interfaces that a game
// implements. It does not know the rules. It checks who has won only where lines (game.Alignment) or margins
// (game.Scored) tell. For the rest, Report has a sample game for people to read, and Check compares perft counts with
// known ones.
package conformance

import (
	"fmt"
	"sync"

	"tengen/game"
)

// Level says what Check found about a claim.
type Level string

const (
	Failure Level = "failure" // the game breaks the contract
	Warning Level = "warning" // it may well be wrong
	Remark  Level = "remark"  // it could be better
	Skipped Level = "skipped" // the claim rests on one that fails
	Kept    Level = "kept"
)

// Finding is what Check found about one claim of the contract.
type Finding struct {
	Claim string `json:"claim"`
	Level Level  `json:"level"`
	Text  string `json:"text,omitempty"` // one line: the reason, then positions by their moves; "" if kept
}

// Report is the result of Check.
type Report struct {
	Findings []Finding `json:"findings"` // for each claim, in the order of the checks
	Games    *Games    `json:"games"`    // random games; nil if a claim fails on which all others rest
}

// Count returns the number of findings at a level.
func (r Report) Count(level Level) (n int) {
	for _, f := range r.Findings {
		if f.Level == level {
			n++
		}
	}
	return n
}

// Check checks each claim that applies to g. perft holds known numbers of sequences of 1, 2 and more legal moves, if
// any. Nothing else should run meanwhile, because Check measures speed and allocations.
func Check[S game.State[S]](g game.Game[S], perft ...uint) Report {
	var r Report
	cause := map[string]string{} // by claim: the failure because of which it does not hold or was not checked
	check := func(c claim[S]) (holds bool) {
		f := Finding{Claim: c.name, Level: Kept}
		for _, below := range c.on {
			if root := cause[below]; root != "" {
				f.Level, f.Text, cause[c.name] = Skipped, fmt.Sprintf("rests on %q", root), root
			}
		}
		if f.Level == Kept {
			if err := guard(func() error { return c.check(g) }); err != nil {
				f.Level, f.Text = c.level, err.Error()
				if _, ok := err.(remark); ok {
					f.Level = Remark
				}
				if f.Level != Remark {
					cause[c.name] = c.name
				}
			}
		}
		r.Findings = append(r.Findings, f)
		return f.Level == Kept
	}
	for _, c := range basics[S]() {
		if !check(c) {
			r.Findings = append(r.Findings, Finding{"all other claims", Skipped, fmt.Sprintf("rest on %q", c.name)})
			return r
		}
	}
	games := sync.OnceValue(func() *Games { return sample(g) })
	for _, c := range claims(g, games, perft) {
		check(c)
	}
	r.Games = games()
	return r
}

// claim is a promise of the contract. check returns an error if g breaks it, which is a finding of the level. The check
// makes sense if the claims on hold, as far as they apply.
type claim[S game.State[S]] struct {
	name  string
	level Level
	check func(g game.Game[S]) error
	on    []string
}

// remark is an error of a claim that is a Remark, whatever the level of the claim.
type remark struct{ error }

// basics returns the claims on which all others rest, also those after them here.
func basics[S game.State[S]]() []claim[S] {
	return []claim[S]{
		{"the board is described", Failure, description[S], nil},
		{"positions can be shown", Failure, display[S], nil},
		{"the start is an open game", Failure, start[S], nil},
		{"games end", Failure, ending[S], nil},
		{"legal moves are in order", Failure, everywhere(legalOrder[S]), nil},
		{"the sides move in turn", Failure, everywhere(turns[S]), nil},
		{"outcomes are results", Failure, everywhere(outcome[S]), nil},
		{"planes are overwritten", Failure, everywhere(overwriting[S]), nil},
		{"play leaves the position alone", Failure, everywhere(immutability[S]), nil},
		{"positions can be compared", Failure, comparability[S], nil},
	}
}

func is[T any](v any) bool { _, ok := v.(T); return ok }

// claims returns the other claims that apply to g.
func claims[S game.State[S]](g game.Game[S], games func() *Games, perft []uint) []claim[S] {
	const (
		placed, lines, shown     = "stones are placed", "lines decide the game", "planes show the stones"
		keyed, equal             = "equal keys stand for equal play", "equal planes stand for equal play"
		scored                   = "the margin agrees with the result"
		permuted, turned, target = "symmetries are permutations", "symmetries keep the rules", "targets stand for moves"
	)
	var all []claim[S]
	add := func(applies bool, more ...claim[S]) {
		if applies {
			all = append(all, more...)
		}
	}
	position := g.Start()
	add(true, claim[S]{"notation parses back", Failure, notation[S], nil}, claim[S]{keyed, Failure, keys[S], nil})
	add(is[game.Diagram](position), claim[S]{target, Failure, everywhere(targets[S]), nil})
	add(is[game.Diagram](position) && is[game.Joined](g), claim[S]{"lines join the cells", Failure, everywhere(points[S]), []string{target}})
	add(is[game.Diagram](position) && !is[game.Placement](position), claim[S]{shown, Failure, piecesShown[S], nil})
	add(is[game.Placement](position), claim[S]{placed, Failure, placing[S], []string{target}})
	add(is[game.Alignment](position), claim[S]{lines, Failure, linesDecide[S], []string{placed}})
	add(is[game.Placement](position),
		claim[S]{"the winner is the side that moved last", Failure, everywhere(winner[S]), []string{lines}},
		claim[S]{shown, Failure, everywhere(encoding[S]), []string{placed}},
		claim[S]{"keys tell stones apart", Failure, stoneKeys[S], []string{placed, keyed}})
	add(is[game.Setup[S]](g) && is[game.Diagram](position),
		claim[S]{"positions can be set up", Failure, setUp[S], []string{shown, "keys tell stones apart"}})
	add(true,
		claim[S]{"illegal moves panic", Failure, everywhere(illegalMoves[S]), []string{lines}},
		claim[S]{permuted, Failure, permutations[S], nil},
		claim[S]{turned, Failure, symmetryRules[S], []string{permuted, lines, shown}},
		claim[S]{"symmetries form a group", Failure, symmetryGroup[S], []string{turned}})
	add(is[game.Turned](g), claim[S]{"both sides see the same symmetries", Failure, seen[S], []string{turned}})
	add(is[game.Spatial](g), claim[S]{"the layout numbers all moves", Failure, layout[S], nil})
	add(is[game.Captioned](g), claim[S]{"each plane has a caption", Failure, captions[S], nil})
	add(is[game.Ending](position), claim[S]{"endings are all moves that end the game", Failure, everywhere(endings[S]), nil})
	add(is[game.Rollout](position), claim[S]{"random play chooses among legal moves", Failure, everywhere(rollout[S]), nil})
	add(is[game.Scored](position), claim[S]{scored, Warning, everywhere(margin[S]), nil})
	add(true, claim[S]{equal, Failure, equalPlanes[S], []string{shown, scored}})
	add(!is[game.Alike](position), claim[S]{"a plane tells the sides apart", Warning, sidesApart[S], []string{equal, shown}})
	add(true, claim[S]{"random games have credible winners", Warning, winners[S](games), []string{lines, scored}})
	add(len(perft) > 0, claim[S]{"the perft counts agree", Failure, countsAre[S](perft), nil})
	add(true, claim[S]{"the hot loop does not allocate", Remark, allocation[S], nil})
	return all
}

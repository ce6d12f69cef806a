package conformance

import (
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/breakthrough"
	"tengen/game/mnk"
)

// Games that are no placement games, and one without a board, keep the contract.
func TestConformance(t *testing.T) {
	if all := found(archers{}); len(all) > 0 {
		t.Errorf("archers: %v", all)
	}
	if all := found(newKings(func(*kings) {})); len(all) > 0 {
		t.Errorf("kings, whose planes do not show how near the draw at the bound is: %v", all)
	}
	if all := found(joined{newKings(func(*kings) {}), rim(game.Joins{{0, 4}, {4, 8}})}); len(all) > 0 {
		t.Errorf("kings on points: %v", all)
	}
	all := found(onBoard(5, pieces{}), 13, 156, 1924, 23084)
	delete(all, "a plane tells the sides apart")
	if len(all) > 0 {
		t.Errorf("breakthrough: %v", all)
	}
}

// rim returns lines around the board of kings, and more.
func rim(more game.Joins) game.Joins {
	return append(more, game.Joins{{0, 2}, {1, 3}, {5, 8}, {7, 6}}...)
}

// Faults that kill home-made games are caught by a claim, in a message that names the position and the move.
func TestPlantedFaults(t *testing.T) {
	forFirst := func(s breakthrough.State) (float32, bool) {
		z, over := s.Outcome()
		return z * float32(s.ToMove()), over
	}
	blank := func(_ breakthrough.State, planes []float32) { clear(planes) }
	ends := func(s breakthrough.State, a game.Action) string { return s.Format(a)[2:] }
	shifted := func(cell int, mover game.Side) int {
		if mover == game.Second {
			return cell/5*5 + (cell+1)%5
		}
		return cell
	}
	wrongWay := slices.Clone(onBoard(5, pieces{}).Symmetries())
	wrongWay[1].Actions = slices.Clone(wrongWay[0].Actions)
	for a := range wrongWay[1].Actions {
		wrongWay[1].Actions[a] = game.Action(int(wrongWay[1].Cells[a/3])*3 + a%3)
	}
	tired := func(g *kings) {
		right := g.outcome
		g.outcome = func(s king) (float32, bool) { z, over := right(s); return z, over || s.ply == 12 }
	}
	shows := func(planes func(s king) (a, b uint16)) func(g *kings) { return func(g *kings) { g.shows = planes } }
	played := uint64(0)
	for name, test := range map[string]struct {
		found map[string]Finding
		claim string
		level Level
		names []string // parts of the text in their order, so that a cut takes only moves
	}{
		"a result with the wrong sign, in Othello": {
			found(newReversed()), "the margin agrees with the result", Warning,
			[]string{"by Outcome the second player has won, but Margin, for the first player, is ", `(after "`},
		},
		"a result with the wrong sign, in Breakthrough": {
			found(onBoard(5, pieces{outcome: forFirst})), "random games have credible winners", Warning,
			[]string{"the second player wins all of 200 random games: ", `the one after "`, "where the last move is the "},
		},
		"a result with the wrong sign, in tic-tac-toe": {
			found(ticTacToe(fault{Outcome: firstPlayerOutcome})), "lines decide the game", Failure,
			[]string{"by Outcome the second player has won; does the first player, whose move was the last, hold a line: true", `(after "`},
		},
		"planes without the side to move": {
			found(onBoard(6, pieces{})), "a plane tells the sides apart", Warning,
			[]string{"at the start, when the first player is to move", `after "`, "SidesAlike"},
		},
		"planes all zero": {
			found(onBoard(5, pieces{encode: blank})), "planes show the stones", Failure,
			[]string{"two positions have equal planes, but only one has a piece on cell c4", "the first is at the start, the second after \"c2b3\""},
		},
		"a symmetry that turns moves the wrong way": {
			found(onBoard(5, pieces{symmetries: wrongWay})), "symmetries keep the rules", Failure,
			[]string{"symmetry 1", "it maps the legal move a2b3 to move number ", "which is illegal: legal are a2a3, ", "(at the start)"},
		},
		"a key without the piece that moves on in this turn": {
			found(archers{keyless: true}), "equal keys stand for equal play", Failure,
			[]string{"two positions have equal keys, but ", " is legal only in the ", `the first is after "`, `the second after "`},
		},
		"planes without the piece that moves on in this turn": {
			found(archers{planeless: true}), "equal planes stand for equal play", Failure,
			[]string{"two positions have equal planes, but ", " is legal only in the ", " %)", "PlanesIncomplete", `the first is after "`, `the second after "`},
		},
		"planes that lack that piece, and say so": {
			found(recurring{archers{planeless: true}}), "equal planes stand for equal play", Failure,
			[]string{" is legal only in the ", " such pairs differ (38.9 %), ", " in their legal moves, which is more than PlanesIncomplete excuses"},
		},
		"a draw before the bound": {
			found(newKings(tired)), "equal planes stand for equal play", Failure,
			[]string{"two positions have equal planes, but ", "PlanesIncomplete", "the first is "},
		},
		"a draw before the bound that planes are said not to show": {
			found(secretive{newKings(tired)}), "equal planes stand for equal play", Remark,
			[]string{"two positions have equal planes, but ", " such pairs differ (", "the first is "},
		},
		"planes of nothing that are said to be incomplete": {
			found(secretive{newKings(shows(func(s king) (a, b uint16) { return 0, 0 }))}),
			"planes show the stones", Failure, []string{"only one has a piece on cell "},
		},
		"planes without the opponent": {
			found(newKings(shows(func(s king) (a, b uint16) { return s.own(), 0 }))),
			"planes show the stones", Failure, []string{"only one has a piece on cell "},
		},
		"planes of the first and of the second player": {
			found(newKings(shows(func(s king) (a, b uint16) { return s.at[0], s.at[1] }))),
			"equal planes stand for equal play", Failure, []string{" is legal only in the "},
		},
		"a key without the ply": {
			found(newKings(func(g *kings) {
				g.key = func(s king) game.Key { return game.Key{uint64(s.own()), uint64(s.other())} }
			})), "equal keys stand for equal play", Failure, []string{"they are at the plies ", "the first is "},
		},
		"a key that mixes weakly": {
			found(newKings(func(g *kings) {
				g.key = func(s king) game.Key { return game.Key{uint64(s.own() + s.other()), uint64(s.ply)} }
			})), "equal keys stand for equal play", Failure, []string{" is legal only in the "},
		},
		"an outcome with the wrong sign after a capture": {
			found(newKings(func(g *kings) {
				right := g.outcome
				g.outcome = func(s king) (float32, bool) { z, over := right(s); return -z, over }
			})), "random games have credible winners", Warning, []string{"the side that moves last loses all of "},
		},
		"endings without captures": {
			found(newKings(func(g *kings) { g.endings = func(king) []game.Action { return nil } })),
			"endings are all moves that end the game", Failure, []string{" ends the game, but Endings does not return it"},
		},
		"an illegal move in random play": {
			found(newKings(func(g *kings) { g.rollout = func(king) []game.Action { return []game.Action{0} } })),
			"random play chooses among legal moves", Failure, []string{"move #0 of Rollout is not legal (at the start)"},
		},
		"no move in random play": {
			found(newKings(func(g *kings) { g.rollout = func(king) []game.Action { return nil } })),
			"random play chooses among legal moves", Failure, []string{"no move comes from Rollout: legal are "},
		},
		"a move that changes its receiver": {
			found(ticTacToe(fault{
				Play: func(s state, a game.Action) state { played++; s.State = s.State.Play(a); return s },
				Key:  func(s mnk.State) game.Key { return game.Key{played} },
			})), "play leaves the position alone", Failure,
			[]string{"playing a3 changes the position in which it is played (at the start)"},
		},
		"two legal moves with one notation": {
			found(onBoard(5, pieces{format: ends})), "notation parses back", Failure,
			[]string{"the legal moves number ", `are written as "a3" and "a3"`, "(at the start)"},
		},
		"another number of moves": {
			found(onBoard(5, pieces{}), 13, 156, 1925), "the perft counts agree", Failure,
			[]string{"1924 sequences of 3 legal moves exist, not 1925: ply 3 is the first that differs"},
		},
		"columns seen one to the right": {
			found(onBoard(5, pieces{seen: shifted})), "both sides see the same symmetries", Failure,
			[]string{"symmetry 1 moves cell a5 to cell e5 as the first player sees the board, but to cell c5 as the second does"},
		},
		"a board that is set up without one of its pieces": {
			found(onBoard(5, pieces{forgetful: true})), "positions can be set up", Failure,
			[]string{"set up from its stones and last move, the position is "},
		},
		"a plane without a caption": {
			found(onBoard(5, pieces{captions: 1})), "each plane has a caption", Failure, []string{"1 captions for 2 planes"},
		},
		"a move to a cell that is none": {
			found(joined{newKings(func(*kings) {}), rim(nil)}), "lines join the cells", Failure,
			[]string{"move a3b2 begins or ends on cell b2, which no line joins (at the start)"},
		},
		"a piece on a cell that is none": {
			found(joined{newKings(func(*kings) {}), game.Joins{{4, 0}}}), "lines join the cells", Failure,
			[]string{"the second player has a piece on cell c1, which no line joins (at the start)"},
		},
		"a line that leaves the board": {
			found(joined{newKings(func(*kings) {}), game.Joins{{8, 9}}}), "lines join the cells", Failure,
			[]string{"a line joins the cells 8 and 9; want two of the cells 0 to 8"},
		},
		"a layout with a plane too few": {
			found(onBoard(5, pieces{planes: -1})), "the layout numbers all moves", Failure,
			[]string{"2 kinds of moves on 25 cells and 0 named ones, together 50; the game has 75"},
		},
	} {
		f := test.found[test.claim]
		rest := f.Text
		for _, part := range test.names {
			var ok bool
			if _, rest, ok = strings.Cut(rest, part); f.Level != test.level || !ok {
				t.Errorf("%s: %q is %q; want a %s with %q; all: %v", name, test.claim, f, test.level, test.names, test.found)
				break
			}
		}
		for claim, f := range test.found {
			if claim != test.claim && f.Level == Failure {
				t.Errorf("%s: besides %q they find %v", name, test.claim, f)
			}
		}
	}
}

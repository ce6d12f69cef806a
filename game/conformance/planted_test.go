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
	all := found(onBoard(5, pieces{}), 13, 156, 1924, 23084)
	delete(all, "a plane tells the sides apart")
	if len(all) > 0 {
		t.Errorf("breakthrough: %v", all)
	}
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
	played := uint64(0)
	for name, test := range map[string]struct {
		found map[string]Finding
		claim string
		level Level
		names []string // parts of the text
	}{
		"a result with the wrong sign, in Othello": {
			found(newReversed()), "the margin agrees with the result", Warning,
			[]string{`after "`, "by Outcome the second player has won, but Margin, for the first player, is "},
		},
		"a result with the wrong sign, in Breakthrough": {
			found(onBoard(5, pieces{outcome: forFirst})), "both sides win random games", Warning,
			[]string{"the second player wins all of 200 random games, such as the one after ", "where the last move is the "},
		},
		"a result with the wrong sign, in tic-tac-toe": {
			found(ticTacToe(fault{Outcome: firstPlayerOutcome})), "lines decide the game", Failure,
			[]string{`after "`, "by Outcome the second player has won; does the first player, whose move was the last, hold a line: true"},
		},
		"planes without the side to move": {
			found(onBoard(6, pieces{})), "a plane tells the sides apart", Warning,
			[]string{"at the start, when the first player is to move", `after "`, "SidesAlike"},
		},
		"planes all zero": {
			found(onBoard(5, pieces{encode: blank})), "equal planes stand for equal play", Failure,
			[]string{`the positions at the start and after "`, "is legal only in the first"},
		},
		"a symmetry that turns moves the wrong way": {
			found(onBoard(5, pieces{symmetries: wrongWay})), "symmetries keep the rules", Failure,
			[]string{"at the start: symmetry 1", "it maps the legal move a2b3 to move number ", "which is illegal: legal are a2a3, "},
		},
		"a key without the piece that moves on in this turn": {
			found(archers{keyless: true}), "equal keys stand for equal play", Failure,
			[]string{`the positions after "`, `and after "`, "have equal keys, but ", " is legal only in the "},
		},
		"planes without the piece that moves on in this turn": {
			found(archers{planeless: true}), "equal planes stand for equal play", Failure,
			[]string{`the positions after "`, "have equal planes, but ", " is legal only in the ", " %)"},
		},
		"planes that are said to lack that piece": {
			found(recurring{archers{planeless: true}}), "equal planes stand for equal play", Remark,
			[]string{`the positions after "`, " positions whose planes another one has ("},
		},
		"a move that changes its receiver": {
			found(ticTacToe(fault{
				Play: func(s state, a game.Action) state { played++; s.State = s.State.Play(a); return s },
				Key:  func(s mnk.State) game.Key { return game.Key{played} },
			})), "play leaves the position alone", Failure,
			[]string{"at the start: playing a3 changes the position in which it is played"},
		},
		"two legal moves with one notation": {
			found(onBoard(5, pieces{format: ends})), "notation parses back", Failure,
			[]string{"at the start: the legal moves number ", `are written as "a3" and "a3"`},
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
		"a layout with a plane too few": {
			found(onBoard(5, pieces{planes: -1})), "the layout numbers all moves", Failure,
			[]string{"2 kinds of moves on 25 cells and 0 named ones, together 50; the game has 75"},
		},
	} {
		f := test.found[test.claim]
		for _, part := range test.names {
			if f.Level != test.level || !strings.Contains(f.Text, part) {
				t.Errorf("%s: %q is %q; want a %s with %q; all: %v", name, test.claim, f, test.level, part, test.found)
			}
		}
		for claim, f := range test.found {
			if claim != test.claim && f.Level == Failure {
				t.Errorf("%s: besides %q they find %v", name, test.claim, f)
			}
		}
	}
}

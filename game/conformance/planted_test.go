package conformance

import (
	"strings"
	"testing"

	"tengen/game"
)

// recurring is a strip whose planes lack the duty to pass, and that says so.
type recurring struct{ strip }

// open is a position of recurring.
type open struct{ marks }

func (g recurring) Start() open        { return open{g.strip.Start()} }
func (s open) Play(a game.Action) open { return open{s.marks.Play(a)} }
func (s open) PlanesIncomplete()       {}

// Faults that kill home-made games are caught by a claim, in a message that names the position and the move.
func TestPlantedFaults(t *testing.T) {
	for name, test := range map[string]struct {
		found map[string]Finding
		claim string
		level Level
		names []string // parts of the text
	}{
		"a result with the wrong sign, in Othello": {
			found(othello{wrongSign: true}), "the margin agrees with the result", Warning,
			[]string{`after "`, "by Outcome the second player has won, but Margin, for the first player, is "},
		},
		"a result with the wrong sign, in Breakthrough": {
			found(march{wrongSign: true}), "both sides win random games", Warning,
			[]string{"the second player wins all of 200 random games, such as the one after ", "where the last move is the "},
		},
		"a result with the wrong sign, in tic-tac-toe": {
			found(ticTacToe(fault{Outcome: firstPlayerOutcome})), "lines decide the game", Failure,
			[]string{`after "`, "by Outcome the second player has won; does the first player, whose move was the last, hold a line: true"},
		},
		"planes without the side to move, 5x5": {
			found(march{noSide: true}), "a plane tells the sides apart", Warning,
			[]string{"at the start, when the first player is to move", `after "`, "SidesAlike"},
		},
		"planes without the side to move, 6x6": {
			found(march{noSide: true, side: 6}), "a plane tells the sides apart", Warning,
			[]string{"at the start, when the first player is to move", `after "`, "SidesAlike"},
		},
		"planes all zero": {
			found(march{blank: true}), "equal planes stand for equal play", Failure,
			[]string{`the positions at the start and after "`, "is legal only in the first"},
		},
		"planes without the duty to pass": {
			found(strip{planeless: true}), "equal planes stand for equal play", Failure,
			[]string{`the positions after "`, "have equal planes, but ", "pass is legal only in the ", " %)"},
		},
		"planes that are said to lack the duty to pass": {
			found(recurring{strip{planeless: true}}), "equal planes stand for equal play", Remark,
			[]string{`the positions after "`, " positions whose planes another one has ("},
		},
		"a symmetry that turns moves the wrong way": {
			found(march{wrongWay: true}), "symmetries keep the rules", Failure,
			[]string{"at the start: symmetry 1", "it maps the legal move a2b3 to move number ", "which is illegal: legal are a2a3, "},
		},
		"a key without the duty to pass": {
			found(strip{keyless: true}), "equal keys stand for equal play", Failure,
			[]string{`the positions after "`, `and after "`, "have equal keys, but ", "pass is legal only in the "},
		},
		"a key without the piece that moves on in this turn": {
			found(archers{keyless: true}), "equal keys stand for equal play", Failure,
			[]string{`the positions after "`, `and after "`, "have equal keys, but ", " is legal only in the "},
		},
		"planes without the piece that moves on in this turn": {
			found(archers{planeless: true}), "equal planes stand for equal play", Failure,
			[]string{`the positions after "`, "have equal planes, but ", " is legal only in the ", " %)"},
		},
		"a move that changes its receiver": {
			found(strip{shared: true}), "play leaves the position alone", Failure,
			[]string{"at the start: playing 1 changes the position in which it is played"},
		},
		"two legal moves with one notation": {
			found(march{sameText: true}), "notation parses back", Failure,
			[]string{"at the start: the legal moves number ", `are written as "a3" and "a3"`},
		},
		"a capture not made": {
			found(march{noCaptures: true}, 13, 156, 1924, 23084), "the perft counts agree", Failure,
			[]string{"not 1924: ply 3 is the first that differs"},
		},
		"a pass not forced": {
			found(othello{endsEarly: true}, 4, 12, 44, 128, 424, 1256, 3624, 9112), "the perft counts agree", Failure,
			[]string{"not 424: ply 5 is the first that differs"},
		},
		"columns seen one to the right": {
			found(march{blurred: true}), "both sides see the same symmetries", Failure,
			[]string{"symmetry 1 moves cell a5 to cell e5 as the first player sees the board, but to cell c5 as the second does"},
		},
		"a layout with a plane too few": {
			found(march{kinds: 1}), "the layout numbers all moves", Failure,
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

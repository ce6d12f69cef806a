package browser

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"games/nim"
	"tengen/engine"
	"tengen/game"
	"tengen/game/breakthrough"
	"tengen/game/mnk"
)

// The games of these tests, besides those of tengen: Nim, and games of tengen that look otherwise.
var families = []engine.Family{
	engine.Rules[nim.State, *nim.Game]{Name: "nim", Form: "nim:PILE,PILE,...", Parse: nim.Parse},
	engine.Rules[marching, march]{Name: "march", Form: "march:COLUMNS,ROWS", Parse: func(size string) (march, error) {
		g, err := breakthrough.Parse(size)
		return march{g}, err
	}},
	engine.Rules[shot, shots]{Name: "shots", Form: "shots:COLUMNS,ROWS,K", Parse: func(size string) (shots, error) {
		g, err := mnk.Parse(size)
		return shots{g}, err
	}},
	engine.Rules[rung, ring]{Name: "ring", Form: "ring", Parse: func(string) (ring, error) { return ring{mnk.TicTacToe()}, nil }},
	engine.Rules[taken, numbers]{Name: "numbers", Form: "numbers", Parse: func(string) (numbers, error) {
		return numbers{mnk.TicTacToe()}, nil
	}},
}

// march is Breakthrough with names of pieces: a pawn becomes a queen or a knight on the last row, which are different moves.
type march struct{ game.Game[breakthrough.State] }

func (g march) Name() string    { return "march:" + size(g.Board()) }
func (g march) Start() marching { return marching{g.Game.Start(), g.Board(), game.None, nil} }
func (g march) Actions() int    { return 2 * g.Game.Actions() }

func (g march) Symmetries() []game.Symmetry {
	one := g.Game.Symmetries()[0] // the identity
	one.Actions = nil
	for a := range g.Actions() {
		one.Actions = append(one.Actions, game.Action(a))
	}
	return []game.Symmetry{one}
}

func size(s game.Size) string { return fmt.Sprintf("%d,%d", s.Columns, s.Rows) }

// marching is a position of march. A move is twice that of Breakthrough, and one more for a knight.
type marching struct {
	breakthrough.State
	size     game.Size
	last     game.Action
	promoted map[int]string // the letters of pieces that are no pawns, by cell
}

var letters = map[string]string{"queen": "Q", "knight": "N"}

func (s marching) Target(a game.Action) game.Target {
	t := s.State.Target(a / 2)
	if row := t.To / s.size.Columns; row == 0 || row == s.size.Rows-1 {
		t.Word = [2]string{"queen", "knight"}[a%2]
	}
	return t
}

func (s marching) Legal(dst []game.Action) []game.Action {
	for _, a := range s.State.Legal(nil) {
		dst = append(dst, 2*a)
		if s.Target(2*a).Word != "" {
			dst = append(dst, 2*a+1)
		}
	}
	return dst
}

func (s marching) Play(a game.Action) marching {
	t := s.Target(a)
	return marching{s.State.Play(a / 2), s.size, a, map[int]string{t.To: letters[t.Word]}} // a promotion ends the game
}

func (s marching) Last() game.Action { return s.last }
func (s marching) Format(a game.Action) string {
	return s.State.Format(a/2) + letters[s.Target(a).Word]
}

func (s marching) Text(i int) string {
	if s.Cell(i) == game.Nobody {
		return ""
	}
	return cmp.Or(s.promoted[i], "P")
}

// Tally counts the pieces.
func (s marching) Tally() string {
	count := map[game.Side]int{}
	for i := range s.size.Cells() {
		count[s.Cell(i)]++
	}
	return fmt.Sprintf("first player %d, second player %d", count[game.First], count[game.Second])
}

// shots is an mnk game whose stones belong to nobody: a cell that is hit has a text.
type shots struct{ game.Game[mnk.State] }

func (g shots) Name() string { return strings.Replace(g.Game.Name(), "mnk", "shots", 1) }
func (g shots) Start() shot  { return shot{g.Game.Start()} }

// shot has only what every position has, so that nobody looks for forced moves.
type shot struct{ game.State[mnk.State] }

func (s shot) Play(a game.Action) shot          { return shot{s.State.Play(a)} }
func (s shot) Cell(int) game.Side               { return game.Nobody }
func (s shot) Target(a game.Action) game.Target { return game.Onto(int(a)) }

func (s shot) Text(i int) string {
	if s.State.(mnk.State).Cell(i) == game.Nobody {
		return ""
	}
	return "#"
}

// Tally is long for the second player, and empty for the first.
func (s shot) Tally() string {
	return [2]string{"", "second player shoots at a free cell with one more arrow"}[s.Ply()%2]
}

// numbers is tic-tac-toe with a number on each cell.
type numbers struct{ game.Game[mnk.State] }

func (g numbers) Name() string { return "numbers" }
func (g numbers) Start() taken { return taken{g.Game.Start()} }

type taken struct{ game.State[mnk.State] }

func (s taken) Play(a game.Action) taken         { return taken{s.State.Play(a)} }
func (s taken) Cell(i int) game.Side             { return s.State.(mnk.State).Cell(i) }
func (s taken) Target(a game.Action) game.Target { return game.Onto(int(a)) }
func (s taken) Format(a game.Action) string      { return fmt.Sprint(a + 1) }
func (s taken) Text(i int) string                { return fmt.Sprint(i + 1) }

// ring is tic-tac-toe on eight points around a cell that is none.
type ring struct{ game.Game[mnk.State] }

func (g ring) Name() string { return "ring" }
func (g ring) Start() rung  { return rung{g.Game.Start()} }
func (g ring) Joins() game.Joins {
	return game.Joins{{0, 1}, {1, 2}, {2, 5}, {5, 8}, {8, 7}, {7, 6}, {6, 3}, {3, 0}}
}

type rung struct{ game.State[mnk.State] }

func (s rung) Play(a game.Action) rung          { return rung{s.State.Play(a)} }
func (s rung) Cell(i int) game.Side             { return s.State.(mnk.State).Cell(i) }
func (s rung) Target(a game.Action) game.Target { return game.Onto(int(a)) }
func (s rung) Legal(dst []game.Action) []game.Action {
	return slices.DeleteFunc(s.State.Legal(dst), func(a game.Action) bool { return a == 4 })
}

func (s rung) Outcome() (z float32, over bool) {
	z, over = s.State.Outcome()
	return z, over || s.Ply() == 8
}

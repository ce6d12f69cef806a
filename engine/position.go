package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tengen/game"
	"tengen/players"
	"tengen/solver"
)

// Info describes a game.
type Info struct {
	Name     string
	Title    string
	Sentence string     // the rules in a sentence or two, or ""
	Size     game.Size  // board; zero without one
	Actions  int        // number of actions, legal or not
	Columns  []string   // from left to right; nil if moves do not use them
	Rows     []string   // from the top; nil if moves do not use them
	Joins    game.Joins // lines of the board; nil if it has squares

	InARow    int      // number in a row that wins; 0 if not applicable
	Drops     bool     // stones fall to the lowest empty cell of a column
	QuickPly  int      // first ply at which Solver takes well under a second; does not count if Tried
	Tried     bool     // no ply says where Solver is quick, see solver.Maker
	Placement bool     // see game.Placement
	Tallied   bool     // see game.Tallied
	Gradable  bool     // Solver is quick from a ply in the first half of MaxPlies on
	Passes    bool     // there are moves without a cell, such as a pass, see game.Layout
	Komi      *float64 // see game.Compensated; nil if the game has none
	Estimates bool     // positions are solver.Estimators, as alphabeta needs
}

// Position is a position of one game. Copies share its slices, which must not be changed. A Game panics on positions of
// other games.
type Position struct {
	Moves   []game.Action // since the start or the set-up stones
	SetUp   bool          // Moves begin at set-up stones
	Legal   []game.Action // ascending; empty if the game is over
	ToMove  game.Side
	Over    bool
	Outcome int8        // for the first player: +1, 0, -1
	Cells   []game.Side // [Size.Cells()], row by row from the top; nil without a board
	Last    game.Target // of the last move, but not of a pass; game.Onto(-1) if there is none in Moves
	Changed []int       // cells that this move took or turned, ascending: see changed
	Texts   []string    // on cells [Size.Cells()] (see game.Inscribed), or nil
	Tally   string      // line below the board (see game.Tallied), or ""

	state any // S of the Typed game
	root  any // S where Moves begin
	game  typed
	info  *Info  // of game
	text  string // drawing of a position without a board
}

// typed is the part of Typed that Position needs.
type typed interface {
	after(p Position, moves []game.Action) Position
	parse(p Position, text string) ([]game.Action, error)
	names(p Position, line []game.Action) []string
	notation(p Position) string
	targets(p Position, line []game.Action) []game.Target
	pliesLeft(p Position, score int) int
	prove(p Position, nodes int) Proof
	quickToSolve(ctx context.Context, p Position) bool
}

var sideNames = map[game.Side]string{game.First: "first", game.Second: "second"}

// SideName returns "first" or "second".
func SideName(s game.Side) string { return sideNames[s] }

// ParseSide returns the side that SideName calls name, or game.Nobody if there is none.
func ParseSide(name string) game.Side {
	for side, of := range sideNames {
		if of == name {
			return side
		}
	}
	return game.Nobody
}

// Sides converts cells: 0 is empty, 1 the first player's, 2 the second's.
func Sides(cells []int) ([]game.Side, error) {
	sides := make([]game.Side, len(cells))
	for i, c := range cells {
		if c < 0 || c > 2 {
			return nil, InputErrorf("cell %d is %d, but must be 0 to 2", i, c)
		}
		sides[i] = [...]game.Side{game.Nobody, game.First, game.Second}[c]
	}
	return sides, nil
}

// Winner returns "first", "second" or "draw".
func (p Position) Winner() string {
	if p.Outcome == 0 {
		return "draw"
	}
	return SideName(game.Side(p.Outcome))
}

// Result returns a finished game's result in words.
func (p Position) Result() string {
	if p.Outcome == 0 {
		return "a draw"
	}
	return "the " + SideName(game.Side(p.Outcome)) + " player has won"
}

// Info describes the game.
func (e Typed[S]) Info() Info {
	info := Info{Name: e.Rules.Name(), Title: e.title, Sentence: e.sentence, Actions: e.Rules.Actions(), QuickPly: e.Exact.Quick,
		Tried: e.Exact.Try != nil}
	info.Gradable = !info.Tried && 2*e.Exact.Quick < e.Rules.MaxPlies()
	if _, drawn := any(e.Rules.Start()).(game.Diagram); drawn {
		info.Size = e.Rules.Board()
	}
	info.Columns, info.Rows = e.Rules.Labels()
	info.Joins = game.JoinsOf(e.Rules)
	info.InARow = inARow(e.Rules)
	_, info.Placement = any(e.Rules.Start()).(game.Placement)
	_, info.Tallied = any(e.Rules.Start()).(game.Tallied)
	if g, ok := e.Rules.(game.Spatial); ok {
		info.Passes = g.Layout().Named > 0
	}
	if g, ok := e.Rules.(game.Compensated); ok {
		info.Komi = new(g.Komi())
	}
	_, info.Estimates = any(e.Rules.Start()).(solver.Estimator)
	if a, ok := any(e.Rules.Start()).(game.Alignment); ok {
		info.Drops = slices.ContainsFunc(a.Lines().Below, func(below int16) bool { return below >= 0 })
	}
	return info
}

// Start returns the starting position.
func (e Typed[S]) Start() Position { return e.position(e.Rules.Start()) }

// position returns s as a Position without moves.
func (e Typed[S]) position(s S) Position {
	info := e.Info()
	p := Position{Legal: s.Legal(nil), ToMove: s.ToMove(), Last: game.Onto(-1), state: s, root: s, game: e, info: &info}
	z, over := s.Outcome()
	if over {
		p.Over, p.Outcome = true, game.FirstPlayerOutcome(z, p.ToMove)
	}
	if d, ok := any(s).(game.Diagram); ok {
		p.Cells = make([]game.Side, info.Size.Cells())
		for i := range p.Cells {
			p.Cells[i] = d.Cell(i)
		}
		if t, ok := d.(game.Tallied); ok {
			p.Tally = t.Tally()
		}
		if t, ok := d.(game.Inscribed); ok {
			for i := range p.Cells {
				p.Texts = append(p.Texts, t.Text(i))
			}
		}
	} else {
		p.text = fmt.Sprint(any(s))
	}
	return p
}

// state returns p's state. It panics if p is from another game.
func (e Typed[S]) state(p Position) S {
	s, ok := p.state.(S)
	if !ok || p.info.Name != e.Rules.Name() {
		panic(fmt.Sprintf("engine: a position of another game, not of %s", e.Rules.Name()))
	}
	return s
}

// line returns p's line. It panics if p is from another game.
func (e Typed[S]) line(p Position) players.Line[S] {
	s := e.state(p)
	return players.Line[S]{Root: p.root.(S), Moves: p.Moves, Position: s}
}

// Replay returns the position after moves. An InputError names the first illegal move.
func (e Typed[S]) Replay(moves []game.Action) (Position, error) {
	if _, err := game.Replay(e.Rules, moves); err != nil {
		return Position{}, InputError{err}
	}
	return e.after(e.Start(), moves), nil
}

// after returns the position after legal moves. A move without cells that changes none, such as a pass, leaves the move
// before it as the Last one, because that is what people want to see.
func (e Typed[S]) after(p Position, moves []game.Action) Position {
	if len(moves) == 0 {
		return p
	}
	s, last := e.state(p), len(moves)-1
	for _, a := range moves[:last] {
		s = s.Play(a)
	}
	next := e.position(s.Play(moves[last]))
	next.Moves, next.SetUp, next.root = slices.Concat(p.Moves, moves), p.SetUp, p.root
	before := e.position(s)
	next.Last = before.Target(moves[last])
	next.Changed = changed(before.Cells, next.Cells, next.Last)
	if next.Cells != nil && next.Last.To < 0 && next.Last.From < 0 && len(next.Changed) == 0 {
		shown := e.after(p, moves[:last])
		next.Last, next.Changed = shown.Last, shown.Changed
	}
	return next
}

// changed returns the cells where a move captured or flipped: those whose holder differs, apart from the cell that the
// piece left and an empty cell that it entered.
func changed(before, after []game.Side, move game.Target) []int {
	var cells []int
	for i, side := range after {
		if side != before[i] && i != move.From && (i != move.To || before[i] != game.Nobody) {
			cells = append(cells, i)
		}
	}
	return cells
}

// Parse returns the position after the moves in a text, see game.ParseMoves.
func (e Typed[S]) Parse(text string) (Position, error) { return e.Start().Follow(text) }

// Follow returns the position after the moves in a text, in the game's notation. All errors are InputErrors.
func (p Position) Follow(text string) (Position, error) {
	moves, err := p.game.parse(p, text)
	if err != nil {
		return Position{}, InputError{err}
	}
	return p.game.after(p, moves), nil
}

// ForcedPass reports whether a pass is the only legal move (see game.Pass).
func (p Position) ForcedPass() bool { return len(p.Legal) == 1 && p.Format(p.Legal[0]) == game.Pass }

// ParseMove parses one legal move in the game's notation. All errors are InputErrors.
func (p Position) ParseMove(text string) (game.Action, error) {
	moves, err := p.game.parse(p, text)
	switch {
	case err != nil:
		return game.None, InputError{err}
	case len(moves) != 1:
		return game.None, InputErrorf("%q is %d moves: write one", text, len(moves)) // or the move after a pass
	}
	return moves[0], nil
}

func (e Typed[S]) parse(p Position, text string) ([]game.Action, error) {
	moves, _, err := game.ParseMoves(e.state(p), text)
	return moves, err
}

// SetUp returns a position without history, see game.Setup. cells [Size.Cells()] go row by row from the top; last may
// be game.None.
func (e Typed[S]) SetUp(cells []game.Side, toMove game.Side, last game.Action) (Position, error) {
	g, err := game.SetupOf(e.Rules)
	if err != nil {
		return Position{}, InputError{err}
	}
	return e.setUp(g.FromStones(cells, toMove, last))
}

// ParseBoard is like SetUp for a board as text, see game.ParseBoard. All errors are InputErrors.
func (e Typed[S]) ParseBoard(text string) (Position, error) {
	return e.setUp(game.ParseBoard(e.Rules, text))
}

func (e Typed[S]) setUp(s S, err error) (Position, error) {
	if err != nil {
		return Position{}, InputError{err}
	}
	p := e.position(s)
	p.SetUp = true
	return p, nil
}

// Play returns the position after a move. An illegal move is an InputError.
func (p Position) Play(a game.Action) (Position, error) {
	if !slices.Contains(p.Legal, a) {
		return p, InputErrorf("move #%d is not legal here", a)
	}
	return p.game.after(p, []game.Action{a}), nil
}

// Target returns where a legal move goes: game.Onto(-1) without a board.
func (p Position) Target(a game.Action) game.Target {
	if d, ok := p.state.(game.Diagram); ok {
		return d.Target(a)
	}
	return game.Onto(-1)
}

// Targets returns the Target of each move in a line.
func (p Position) Targets(line []game.Action) []game.Target { return p.game.targets(p, line) }

func (e Typed[S]) targets(p Position, line []game.Action) []game.Target {
	targets, s := make([]game.Target, len(line)), e.state(p)
	for i, a := range line {
		targets[i] = Position{state: s}.Target(a)
		s = s.Play(a)
	}
	return targets
}

// Format returns the notation of a legal move.
func (p Position) Format(a game.Action) string { return p.Names([]game.Action{a})[0] }

// Names returns the notation of each move in a line.
func (p Position) Names(line []game.Action) []string { return p.game.names(p, line) }

func (e Typed[S]) names(p Position, line []game.Action) []string {
	return game.MoveTexts(e.state(p), line)
}

// Notation returns the notation of Moves.
func (p Position) Notation() string { return p.game.notation(p) }

func (e Typed[S]) notation(p Position) string { return game.FormatMoves(p.root.(S), p.Moves) }

// Estimate returns a heuristic score for the side to move (see solver.Estimator), 0 without Info.Estimates.
func (p Position) Estimate() int {
	if e, ok := p.state.(solver.Estimator); ok {
		return e.Estimate()
	}
	return 0
}

// Margin returns by how much the first player has won a finished game, and whether the game has scores (see game.Scored).
func (p Position) Margin() (margin float64, scored bool) {
	s, scored := p.state.(game.Scored)
	if !scored {
		return 0, false
	}
	return s.Margin(), true
}

// Owners returns the sides that the cells of a finished game count for, nil if only pieces count (see game.Owned).
func (p Position) Owners() (owners []game.Side) {
	if s, ok := p.state.(game.Owned); ok && p.Over {
		for i := range p.Cells {
			owners = append(owners, s.Owner(i))
		}
	}
	return owners
}

// Refusals returns, by free cell, why no stone may be put there, as far as the game says it (see game.Refusing).
func (p Position) Refusals() map[int]string {
	refusals := map[int]string{}
	if s, ok := p.state.(game.Refusing); ok && !p.Over {
		for i, side := range p.Cells {
			if side != game.Nobody {
				continue
			}
			if why := s.Refusal(i); why != "" {
				refusals[i] = why
			}
		}
	}
	return refusals
}

// WonBy returns the cells of winning lines, ascending.
func (p Position) WonBy() []int {
	s, ok := p.state.(game.Alignment)
	if !ok || !p.Over || p.Outcome == 0 {
		return nil
	}
	won, winner := map[int]bool{}, game.Side(p.Outcome)
	for i, line := range s.Lines().Cells {
		if slices.ContainsFunc(line, func(c int16) bool { return p.Cells[c] != winner }) || s.Lines().Spoilt(i, winner, s.Cell) {
			continue
		}
		for _, c := range line {
			won[int(c)] = true
		}
	}
	return slices.Sorted(maps.Keys(won))
}

// Format returns the notation of moves from the start, see game.FormatMoves.
func (e Typed[S]) Format(moves ...game.Action) string {
	return game.FormatMoves(e.Rules.Start(), moves)
}

// ActionNames returns the notation of each action for each side, see game.ActionNames.
func (e Typed[S]) ActionNames() map[game.Side][]string { return game.ActionNames(e.Rules) }

// Captions returns what the 1s of each plane mark, nil if the game does not say it.
func (e Typed[S]) Captions() []string { return game.CaptionsOf(e.Rules) }

// String draws the board (see game.Drawing) and the tally. It ends in a line feed.
func (p Position) String() string { return p.Draw(nil) }

// Draw is like String, but paint, if not nil, may colour each stone.
func (p Position) Draw(paint func(side game.Side, sign string) string) string {
	if p.Cells == nil {
		return p.text + "\n"
	}
	text := game.Drawing{
		Size: p.info.Size, Columns: p.info.Columns, Rows: p.info.Rows, Cells: p.Cells, Texts: p.Texts, Joins: p.info.Joins,
		Last: p.Last.To, Paint: paint,
	}.String()
	if p.Tally != "" {
		names := strings.NewReplacer(game.First.String(), game.Stones[0], game.Second.String(), game.Stones[1])
		text += names.Replace(p.Tally) + "\n"
	}
	return text
}

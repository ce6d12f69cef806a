// Package transcript reads games as people and other programs write them, and writes them for other programs.
//
// It reads moves with numbers, commas and marks; the Smart Game Format (https://www.red-bean.com/sgf/); and GGF, in
// which servers and programs for Othello keep games. What it does not understand is an error that quotes it, never
// another game. All errors are engine.InputErrors.
package transcript

import (
	"regexp"
	"strconv"
	"strings"

	"tengen/engine"
	"tengen/game"
)

// Game is a game with its variations.
type Game struct {
	engine.Game
	Lines    []engine.Position // by line of play, its end; the main line first
	Resigned game.Side         // at the end of the main line, or Nobody
}

// Read reads a text. Its game is e, unless tengen wrote the text and named another game. An empty text is the start.
func Read(e engine.Game, text string) (Game, error) { return read(e, text, false) }

// ReadOnItsBoard is Read, but the text may say another board size or komi than e's.
func ReadOnItsBoard(e engine.Game, text string) (Game, error) { return read(e, text, true) }

func read(e engine.Game, text string, onItsBoard bool) (Game, error) {
	text = strings.TrimPrefix(text, "\uFEFF") // which editors on Windows put at the beginning
	if treeStart.MatchString(text) {
		return readTree(e, text, onItsBoard)
	}
	p, err := readMoves(e.Start(), text)
	return Game{Game: e, Lines: []engine.Position{p}}, err
}

// End returns the end of the main line in a text, which must be a game of e.
func End(e engine.Game, text string) (engine.Position, error) {
	g, err := Read(e, text)
	if err != nil {
		return engine.Position{}, err
	}
	if name := g.Info().Name; name != e.Info().Name {
		return engine.Position{}, engine.InputErrorf("the text is a game of %s, but this is %s", name, e.Info().Name)
	}
	return g.Lines[0], nil
}

// Position reads a board (see game.ParseBoard), or a text and returns its End.
func Position(e engine.Game, text string) (engine.Position, error) {
	if game.IsBoard(text) && !treeStart.MatchString(text) {
		return e.ParseBoard(text)
	}
	return End(e, text)
}

// readMoves reads moves in the game's notation or, if they are not, as people write it.
func readMoves(start engine.Position, text string) (engine.Position, error) {
	p, err := start.Follow(text)
	if err != nil {
		p, err = start.Follow(plainMoves(text))
	}
	if text = strings.TrimSpace(text); err == nil && len(p.Moves) == 0 && text != "" {
		err = engine.InputErrorf("%.40q has no moves", text)
	}
	return p, err
}

var (
	headers    = regexp.MustCompile(`(?m)^\[\w+ ".*"\]\s*$`)
	result     = regexp.MustCompile(`(\*|\d+(/2)?-\d+(/2)?)\s*$`)
	moveNumber = regexp.MustCompile(`^(\d+)\.+([^\d.].*)?$`) // not "8.8", which may be a cell
	joint      = regexp.MustCompile(`(\d)[-xX:]([A-Za-z])`)  // as in b2-b3, b2xa3
)

// plainMoves takes out of a text what is no move: headers and the result after them, numbers of moves if they count
// from 1, marks, and signs between cells.
func plainMoves(text string) string {
	if headers.MatchString(text) {
		text = result.ReplaceAllString(headers.ReplaceAllString(text, ""), "")
	}
	number, moves := 0, []string{}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n,;!?", r) }) {
		if m := moveNumber.FindStringSubmatch(word); m != nil {
			if n, _ := strconv.Atoi(m[1]); n == number+1 || n == number && n > 0 {
				number, word = n, m[2]
			}
		}
		moves = append(moves, joint.ReplaceAllString(strings.TrimRight(word, "+#"), "$1$2"))
	}
	return strings.Join(moves, " ")
}

// node is a position with the moves that were played there.
type node struct {
	position engine.Position
	next     []*node
}

// play returns the node after a legal move.
func (n *node) play(a game.Action) *node {
	for _, c := range n.next {
		if c.move() == a {
			return c
		}
	}
	p, _ := n.position.Play(a)
	n.next = append(n.next, &node{position: p})
	return n.next[len(n.next)-1]
}

func (n *node) move() game.Action { return n.position.Moves[len(n.position.Moves)-1] }

// ends appends the ends of the lines from here.
func (n *node) ends(to []engine.Position) []engine.Position {
	if len(n.next) == 0 {
		return append(to, n.position)
	}
	for _, c := range n.next {
		to = c.ends(to)
	}
	return to
}

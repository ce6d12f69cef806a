package transcript

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"tengen/engine"
	"tengen/game"
)

// SGF and GGF have the same brackets.
var (
	treeStart = regexp.MustCompile(`^\s*(\d+\s*)?\(\s*;`) // GGF may begin with the number of games
	token     = regexp.MustCompile(`(?s)^([();]|[A-Za-z]+|\[(?:[^\]\\]|\\.)*\])`)
	escape    = regexp.MustCompile(`(?s)\\(.)`)
	lowerCase = regexp.MustCompile(`[a-z]`)
)

// branch is a sequence of nodes, and the branches after it.
type branch struct {
	properties [][2]string // names and values, of all its nodes
	next       []*branch
}

// value returns the first value of a property, "" for none.
func (b *branch) value(name string) string {
	for _, p := range b.properties {
		if p[0] == name {
			return strings.TrimSpace(p[1])
		}
	}
	return ""
}

func parseTree(text string) (*branch, error) {
	games := &branch{}
	open := []*branch{games}
	name, valued := "", true // of the property that is read
	for text = strings.TrimSpace(text[strings.IndexByte(text, '('):]); text != ""; text = strings.TrimSpace(text) {
		t, b := token.FindString(text), open[len(open)-1]
		late := t != "(" && (len(open) == 1 || t != ")" && len(b.next) > 0) // after the game, or after variations
		if t == "" || late || t[0] == '[' && name == "" || t[0] != '[' && !valued {
			return nil, engine.InputErrorf("%q is not understood", strings.Fields(text[:min(len(text), 20)])[0])
		}
		text = text[len(t):]
		switch t[0] {
		case '[':
			b.properties, valued = append(b.properties, [2]string{name, escape.ReplaceAllString(t[1:len(t)-1], "$1")}), true
			continue
		case '(':
			open = append(open, &branch{})
			b.next = append(b.next, open[len(open)-1])
		case ')':
			open = open[:len(open)-1]
		}
		name = lowerCase.ReplaceAllString(strings.Trim(t, "(;)"), "") // as the standard says
		valued = strings.Contains("(;)", t)
	}
	switch {
	case len(open) > 1:
		return nil, engine.InputErrorf("the text ends before its last bracket is closed")
	case len(games.next) > 1:
		return nil, engine.InputErrorf("the text has several games: give one")
	}
	return games.next[0], nil
}

func readTree(e engine.Game, text string, onItsBoard bool) (Game, error) {
	tree, err := parseTree(text)
	if err != nil {
		return Game{}, err
	}
	if size, komi := boardOf(tree, e.Info()); onItsBoard && (size != e.Info().Size || komi != nil) {
		if e, err = e.OnBoard(size, komi); err != nil {
			return Game{}, err
		}
	}
	program, _, _ := strings.Cut(tree.value("AP"), ":")
	own := program == "tengen" && tree.value("GN") != ""
	if own {
		if e, err = engine.Open(tree.value("GN")); err != nil {
			return Game{}, err
		}
	}
	start := &node{position: e.Start()}
	if err := check(tree, own, e); err != nil {
		return Game{}, err
	}
	if err := play(start, tree, e.Info().Size); err != nil {
		return Game{}, err
	}
	g := Game{Game: e, Lines: start.ends(nil)}
	won := strings.ToUpper(tree.value("RE") + "   ")[:3]
	if side := map[string]game.Side{"B+R": game.Second, "W+R": game.First}[won]; !g.Lines[0].Over {
		g.Resigned = side
	}
	return g, nil
}

// Numbers of games in SGF. In GGF, words stand in their place.
const (
	goNumber      = "1"
	othelloNumber = "2"
	lineNumber    = "4" // gomoku and its like
)

// numberOf returns the number of a game.
func numberOf(name string) string {
	switch family, _, _ := strings.Cut(name, ":"); family {
	case "go":
		return goNumber
	case "othello":
		return othelloNumber
	}
	return lineNumber
}

// check refuses a text for another game, board or komi, or that does not begin at the game's start.
func check(tree *branch, own bool, e engine.Game) error {
	info, start := e.Info(), e.Start()
	kind := strings.ToLower(tree.value("GM"))
	number, asked := strings.Replace(kind, "othello", othelloNumber, 1), numberOf(info.Name)
	_, word := strconv.Atoi(number)
	other := number != asked && (asked != lineNumber || number == othelloNumber) // some programs write gomoku as Go
	if kind != "" && !own && (other || word != nil) {
		return engine.InputErrorf("the text is of another kind, GM[%.20s], than %s: choose its game first", kind, info.Name)
	}
	if err := checkBoard(tree, e); err != nil {
		return err
	}
	usual := ""
	for _, side := range append(slices.Clone(start.Cells), start.ToMove) {
		usual += "O-*"[side+1 : side+2]
	}
	board := strings.Fields(tree.value("BO")) // GGF: the size, the cells, the side to move
	elsewhere := len(board) > 0 && !strings.EqualFold(strings.Join(board[1:], ""), usual)
	if n := tree.value("HA"); elsewhere || n != "" && n != "0" {
		return engine.InputErrorf("the text begins at another position than %s: only games from the start can be read", info.Name)
	}
	return nil
}

// boardOf returns a text's board size, the game's if it says none, and its komi, nil if it says none or the game has
// none.
func boardOf(tree *branch, info engine.Info) (size game.Size, komi *float64) {
	size = info.Size
	given := tree.value("SZ")
	columns, rows, both := strings.Cut(given, ":")
	if !both {
		rows = columns
	}
	if given != "" && size.Cells() > 0 {
		size.Columns, _ = strconv.Atoi(columns)
		size.Rows, _ = strconv.Atoi(rows)
	}
	if points := tree.value("KM"); points != "" && info.Komi != nil {
		number, err := strconv.ParseFloat(points, 64)
		if err != nil {
			number = math.NaN()
		}
		komi = &number
	}
	return size, komi
}

// checkBoard refuses another board or komi than the game's, and names the game that has it.
func checkBoard(tree *branch, e engine.Game) error {
	info, first := e.Info(), "choose its game first"
	size, komi := boardOf(tree, info)
	if g, err := e.OnBoard(size, komi); err == nil {
		first = "choose the game " + g.Info().Name + " first"
	}
	switch {
	case size != info.Size:
		return engine.InputErrorf("the text is for a board of %d×%d, but %s has %d×%d: %s",
			size.Columns, size.Rows, info.Name, info.Size.Columns, info.Size.Rows, first)
	case komi != nil && *komi != *info.Komi:
		return engine.InputErrorf("the text has komi %.10s, but %s has %v: %s", tree.value("KM"), info.Name, *info.Komi, first)
	}
	return nil
}

// play plays the moves of a branch and of those after it.
func play(n *node, b *branch, size game.Size) (err error) {
	for _, p := range b.properties {
		switch name, value := p[0], strings.TrimSpace(p[1]); name {
		case "AB", "AW", "AE":
			return engine.InputErrorf("the text puts stones on the board, %s[%.20s]: only games from the start can be read", name, value)
		case "B", "W":
			if n, err = n.playPoint(name, value, size); err != nil {
				return err
			}
		}
	}
	for _, next := range b.next {
		if err := play(n, next, size); err != nil {
			return err
		}
	}
	return nil
}

// letters are the numbers from 0 in points.
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// playPoint plays a move of a colour: two letters, its column from the left and its row from the top, or its notation.
// A forced pass before it may be left out.
func (n *node) playPoint(colour, point string, size game.Size) (*node, error) {
	if p := n.position; colours[p.ToMove] != colour && len(p.Legal) == 1 && p.Format(p.Legal[0]) == game.Pass {
		n = n.play(p.Legal[0])
	}
	p := n.position
	point, _, _ = strings.Cut(point, "/") // after which GGF has a value and the time
	if point == "" || point == "tt" && max(size.Columns, size.Rows) < 20 {
		point = game.Pass
	}
	column, row, why := -1, -1, "is not legal here"
	if len(point) == 2 {
		column, row = strings.IndexByte(letters, point[0]), strings.IndexByte(letters, point[1])
	}
	switch {
	case p.Over && point == game.Pass && strings.HasSuffix(p.Notation(), game.Pass):
		return n, nil // some programs pass three times
	case p.Over:
		why = "comes after the end of the game"
	case colours[p.ToMove] != colour:
		why = "is by the side that is not to move: only games in which the sides alternate can be read"
	case column >= 0 && row >= 0 && column < size.Columns && row < size.Rows:
		for _, a := range p.Legal {
			if p.Target(a) == game.Onto(row*size.Columns+column) {
				return n.play(a), nil
			}
		}
	default:
		if a, err := p.ParseMove(point); err == nil {
			return n.play(a), nil
		} else if column >= 0 && row >= 0 {
			why = "is not on the board"
		}
	}
	return nil, engine.InputErrorf("move %d, %.20q, %s", len(p.Moves)+1, point, why)
}

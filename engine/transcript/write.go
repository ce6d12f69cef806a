package transcript

import (
	"fmt"
	"strings"

	"tengen/engine"
	"tengen/game"
)

// colours are the sides in SGF.
var colours = map[game.Side]string{game.First: "B", game.Second: "W"}

// Write writes a game whose Lines begin at the start: as SGF where each move has one cell, else the moves of the main
// line, one in a text line. Read reads either: SGF with the same lines, apart from the order of the variations.
func Write(g Game) (text string, sgf bool) {
	start, info := &node{position: g.Start()}, g.Info()
	for _, line := range g.Lines {
		n := start
		for _, a := range line.Moves {
			n = n.play(a)
		}
	}
	first := start.position.Target(start.position.Legal[0])
	if moves, ok := start.write(info); ok && first == game.Onto(max(first.To, 0)) {
		size, komi := fmt.Sprint(info.Size.Columns), ""
		if info.Size.Rows != info.Size.Columns {
			size += fmt.Sprintf(":%d", info.Size.Rows)
		}
		if info.Komi != nil {
			komi = fmt.Sprintf("KM[%v]", *info.Komi)
		}
		header := fmt.Sprintf("FF[4]CA[UTF-8]AP[tengen]GM[%s]GN[%s]SZ[%s]%s%s", numberOf(info.Name), info.Name, size, komi, g.result())
		return "(;" + header + moves + ")\n", true
	}
	if len(g.Lines) > 0 {
		text = strings.Join(append(g.Start().Names(g.Lines[0].Moves), ""), "\n")
	}
	return text, false
}

// result returns the property with the result of the main line, "" for none.
func (g Game) result() string {
	switch {
	case g.Resigned != game.Nobody:
		return "RE[" + colours[g.Resigned.Opponent()] + "+R]"
	case len(g.Lines) == 0 || !g.Lines[0].Over:
		return ""
	case g.Lines[0].Outcome == 0:
		return "RE[Draw]"
	}
	margin := ""
	if m, _ := g.Lines[0].Margin(); m != 0 {
		margin = fmt.Sprint(max(m, -m))
	}
	return "RE[" + colours[game.Side(g.Lines[0].Outcome)] + "+" + margin + "]"
}

// write returns the lines from a node. It is not ok if SGF cannot write a move: one of a piece, or with more than a
// cell.
func (n *node) write(info engine.Info) (text string, ok bool) {
	for _, c := range n.next {
		target, point := n.position.Target(c.move()), ""
		if n.position.Format(c.move()) != game.Pass {
			if target != game.Onto(max(target.To, 0)) || max(info.Size.Columns, info.Size.Rows) > len(letters) {
				return "", false
			}
			point = string([]byte{letters[target.To%info.Size.Columns], letters[target.To/info.Size.Columns]})
		}
		rest, ok := c.write(info)
		if !ok {
			return "", false
		}
		move := fmt.Sprintf(";%s[%s]%s", colours[n.position.ToMove], point, rest)
		if len(n.next) > 1 {
			move = "(" + move + ")"
		}
		text += move
	}
	return text, true
}

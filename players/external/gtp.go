package external

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"tengen/game"
)

// gtp is the Go Text Protocol, version 2 (Gunnar Farnebäck's draft 2 of its specification).
type gtp struct {
	board    Board
	commands []string // that the program knows
}

func (g *gtp) write(move game.Target, notation string) string {
	return game.Vertex(g.board.family(), g.board.Size, move, notation)
}

// refusal is an answer that begins with a question mark.
type refusal struct{ command, text string }

// Error implements error.
func (r refusal) Error() string { return fmt.Sprintf("it refuses %q: %q", r.command, "? "+r.text) }

// ask sends a command and returns the answer.
func (g *gtp) ask(p *process, format string, a ...any) string {
	command := fmt.Sprintf(format, a...)
	p.say("%s", command)
	var answer []string
	for {
		line := p.hear()
		switch {
		case p.err != nil:
			return ""
		case len(answer) > 0 && strings.TrimSpace(line) == "":
			text := strings.TrimSpace(answer[0][1:])
			if answer[0][0] == '?' {
				p.fail(refusal{command, text})
			}
			return strings.Join(append([]string{text}, answer[1:]...), "\n")
		case len(answer) > 0, strings.HasPrefix(line, "="), strings.HasPrefix(line, "?"):
			answer = append(answer, line)
		}
	}
}

// refused forgets a refusal and reports whether there was one.
func (g *gtp) refused(p *process) bool {
	if errors.As(p.err, new(refusal)) {
		p.err = nil
		return true
	}
	return false
}

// gameNames are the names for set_game, as programs of several games know them.
var gameNames = map[string]string{"connect4": "Connect Four", "gomoku": "Gomoku", "othello": "Othello", "breakthrough": "Breakthrough", "go": "Go"}

func (g *gtp) begin(p *process, c *Command, b Board) {
	p.farewell = "quit"
	g.commands = strings.Fields(g.ask(p, "list_commands"))
	c.identify(g.ask(p, "name"), g.ask(p, "version"))
	g.open(p, b)
	for _, o := range c.Options {
		if p.err != nil {
			return
		}
		g.ask(p, "%s %s", o.Name, o.Value)
		if r := (refusal{}); errors.As(p.err, &r) {
			p.err = Private{"it refuses the option " + o.Name, ": " + r.Error()}
		}
	}
	if c.Time > 0 && slices.Contains(g.commands, "time_settings") {
		g.ask(p, "time_settings 0 %.0f 1", math.Max(1, math.Floor(c.Time.Seconds())))
	}
}

// open chooses the game, if the program has several, and the board.
func (g *gtp) open(p *process, b Board) {
	if slices.Contains(g.commands, "set_game") {
		if g.ask(p, "set_game %s", b.Game); p.err == nil {
			return // the name says the board
		}
		if name := gameNames[b.family()]; name != "" && g.refused(p) {
			g.ask(p, "set_game %s", name)
		}
	}
	if b.Size.Rows == b.Size.Columns {
		g.ask(p, "boardsize %d", b.Size.Rows)
	} else {
		g.ask(p, "rectangular_boardsize %d %d", b.Size.Columns, b.Size.Rows)
	}
	if b.Komi != nil {
		g.ask(p, "komi %v", *b.Komi)
	}
	if errors.As(p.err, new(refusal)) {
		p.err = fmt.Errorf("it does not play %s: %w", b.Game, p.err)
	}
}

func (g *gtp) move(p *process, _ *Command, moves []Move, known int, seed uint32, answer *Answer) {
	if known < 0 {
		known = 0
		g.ask(p, "clear_board")
		if slices.Contains(g.commands, "set_random_seed") {
			g.ask(p, "set_random_seed %d", seed&math.MaxInt32)
		}
	}
	colours := [2]string{"black", "white"}
	for i, m := range moves[known:] {
		g.ask(p, "play %s %s", colours[(known+i)%2], m.Text)
		if m.Pass {
			g.refused(p) // some pass by themselves
		}
	}
	answer.Text = g.ask(p, "genmove %s", colours[len(moves)%2])
}

package external

import (
	"cmp"
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
func (g *gtp) ask(p *process, format string, a ...any) (string, error) {
	command := fmt.Sprintf(format, a...)
	if err := p.send("%s", command); err != nil {
		return "", err
	}
	var answer []string
	for {
		line, err := p.next()
		switch {
		case err != nil:
			return "", err
		case len(answer) > 0 && strings.TrimSpace(line) == "":
			text := strings.TrimSpace(answer[0][1:])
			if answer[0][0] == '?' {
				return "", refusal{command, text}
			}
			return strings.Join(append([]string{text}, answer[1:]...), "\n"), nil
		case len(answer) > 0, strings.HasPrefix(line, "="), strings.HasPrefix(line, "?"):
			answer = append(answer, line)
		}
	}
}

// gameNames are the names for set_game, as programs of several games know them.
var gameNames = map[string]string{"connect4": "Connect Four", "othello": "Othello", "breakthrough": "Breakthrough", "go": "Go"}

func (g *gtp) begin(p *process, c *Command, b Board) error {
	p.farewell = "quit"
	known, err := g.ask(p, "list_commands")
	if err != nil {
		return err
	}
	g.commands = strings.Fields(known)
	name, err := g.ask(p, "name")
	version, err2 := g.ask(p, "version")
	if err := cmp.Or(err, err2); err != nil {
		return err
	}
	c.identify(name, version)
	if err := g.open(p, b); err != nil {
		return fmt.Errorf("it does not play %s: %w", b.Game, err)
	}
	for _, o := range c.Options {
		if _, err := g.ask(p, "%s %s", o.Name, o.Value); err != nil {
			return Private{"it refuses the option " + o.Name, ": " + err.Error()}
		}
	}
	if c.Time > 0 && slices.Contains(g.commands, "time_settings") {
		_, err = g.ask(p, "time_settings 0 %.0f 1", math.Max(1, math.Floor(c.Time.Seconds())))
	}
	return err
}

// open chooses the game, if the program has several, and the board.
func (g *gtp) open(p *process, b Board) error {
	if slices.Contains(g.commands, "set_game") {
		if _, err := g.ask(p, "set_game %s", b.Game); err == nil {
			return nil // the name says the board
		}
		if _, err := g.ask(p, "set_game %s", gameNames[b.family()]); err != nil {
			return err
		}
	}
	size := fmt.Sprint("boardsize ", b.Size.Rows)
	if b.Size.Rows != b.Size.Columns {
		size = fmt.Sprintf("rectangular_boardsize %d %d", b.Size.Columns, b.Size.Rows)
	}
	_, err := g.ask(p, "%s", size)
	if err == nil && b.Komi != nil {
		_, err = g.ask(p, "komi %v", *b.Komi)
	}
	return err
}

func (g *gtp) move(p *process, _ *Command, moves []Move, known int, seed uint32) (Answer, error) {
	answer := Answer{Value: float32(math.NaN())}
	if known < 0 {
		known = 0
		if _, err := g.ask(p, "clear_board"); err != nil {
			return answer, err
		}
		if slices.Contains(g.commands, "set_random_seed") {
			if _, err := g.ask(p, "set_random_seed %d", seed&math.MaxInt32); err != nil {
				return answer, err
			}
		}
	}
	colours := [2]string{"black", "white"}
	for i, m := range moves[known:] {
		_, err := g.ask(p, "play %s %s", colours[(known+i)%2], m.Text)
		if refused := (refusal{}); err != nil && !(m.Pass && errors.As(err, &refused)) { // some pass by themselves
			return answer, err
		}
	}
	text, err := g.ask(p, "genmove %s", colours[len(moves)%2])
	if answer.Text = text; strings.EqualFold(text, "resign") {
		answer.Text = ""
	}
	return answer, err
}

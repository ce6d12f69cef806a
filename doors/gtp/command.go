package gtp

import (
	"bufio"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"tengen/game"
)

// command is a manager's command.
type command struct {
	id, name string // id: digits, or ""
	args     []string
	read     time.Time // which starts the move's clock

	side    game.Side // of the colour that args begin with
	numbers []float64 // among args
}

var colours = map[string]game.Side{"b": game.First, "black": game.First, "w": game.Second, "white": game.Second}

// String returns the name.
func (c command) String() string { return c.name }

// Read reads a line by section 3.1 of the draft. Lines of blanks and a comment are no commands.
func (*session) Read(lines *bufio.Scanner) (c command, ok bool) {
	text, _, _ := strings.Cut(lines.Text(), "#")
	fields := strings.Fields(strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' || r == 0x7f {
			return -1 // a control character
		}
		return r
	}, text))
	if len(fields) == 0 {
		return c, false
	}
	if strings.Trim(fields[0], "0123456789") == "" {
		c.id, fields = fields[0], append(fields[1:], "") // which is unknown
	}
	c.name, c.args, c.read = fields[0], fields[1:], time.Now()
	return c, true
}

// parse reads the colour and the numbers among the arguments. More than the command wants may follow.
func (c *command) parse() error {
	known, ok := commands[c.name]
	if !ok {
		return errors.New("unknown command")
	}
	wanted := strings.Fields(known.wants)
	ok = len(c.args) >= len(wanted)
	for i, text := range c.args {
		side, colour := colours[strings.ToLower(text)]
		n, err := strconv.ParseFloat(text, 64)
		number := err == nil && math.Abs(n) < 1e15
		switch kind := append(wanted, make([]string, len(c.args))...)[i]; kind {
		case "":
		case "name", "vertex", "file":
			continue
		case "colour":
			ok = ok && colour
		case "seconds", "points":
			ok = ok && number
		default:
			ok = ok && number && n == math.Trunc(n)
		}
		if colour && i == 0 { // later ones belong to options, such as avoid
			c.side = side
		} else if number {
			c.numbers = append(c.numbers, n)
		}
	}
	if !ok {
		return fmt.Errorf("syntax error: %s wants %s, not %.80q", c.name, known.wants, strings.Join(c.args, " "))
	}
	return nil
}

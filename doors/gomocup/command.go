package gomocup

import (
	"bufio"
	"strconv"
	"strings"
	"time"
)

// command is a manager's command, with the stones that follow it.
type command struct {
	name   string    // upper case
	text   string    // arguments, separated by blanks
	stones [][]int   // of the lines after BOARD and its like, up to DONE: x, y and perhaps the side. Malformed ones are nil
	read   time.Time // when its last line was read, which starts the move's clock
}

var boards = map[string]bool{"BOARD": true, "YXBOARD": true, "SWAP2BOARD": true}

// String returns the name.
func (c command) String() string { return c.name }

// Read reads a command, with its stones.
func (*session) Read(lines *bufio.Scanner) (c command, ok bool) {
	fields := strings.Fields(lines.Text())
	if len(fields) == 0 {
		return c, false
	}
	c = command{name: strings.ToUpper(fields[0]), text: strings.Join(fields[1:], " ")}
	for boards[c.name] && lines.Scan() && !strings.EqualFold(strings.TrimSpace(lines.Text()), "DONE") {
		stone, _ := parseNumbers(lines.Text())
		c.stones = append(c.stones, stone)
	}
	c.read = time.Now()
	return c, true
}

// parseNumbers reads numbers separated by commas or blanks.
func parseNumbers(text string) (numbers []int, ok bool) {
	for _, field := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' }) {
		n, err := strconv.Atoi(field)
		if err != nil {
			return nil, false
		}
		numbers = append(numbers, n)
	}
	return numbers, true
}

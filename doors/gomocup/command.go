package gomocup

import (
	"bufio"
	"context"
	"io"
	"strconv"
	"strings"
	"time"
)

// command is one command of the manager, whole: a board comes with its stones.
type command struct {
	name string // upper case
	text string // its arguments, with a blank between them
	// stones are what follows BOARD and its like, up to DONE: x, y and, where there is one, whose stone it is. One that is malformed
	// is nil, and the last one where DONE is missing.
	stones [][]int
	read   time.Time // when the last of it was read: the clock of the move starts then
}

// maxLine is the length at which a line is cut: longer ones are no commands of any manager.
const maxLine = 1 << 16

// readCommands passes on the commands of in, and closes the channel at its end or, at the next command, when ctx ends.
func readCommands(ctx context.Context, in io.Reader, commands chan<- command) {
	defer close(commands)
	p := parser{pass: func(c command) bool {
		c.read = time.Now()
		select {
		case commands <- c:
			return true
		case <-ctx.Done():
			return false
		}
	}}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	lines.Split(splitLine)
	for lines.Scan() && p.line(lines.Text()) {
	}
}

// parser makes commands of lines. A command is a word and the numbers that follow it, so that several may stand on a line; INFO has a
// key and a value of any kind, and all that follows and is no command. What the protocol has not got is a command up to the end of its
// line. Stones may stand on lines of their own, or any number of them behind their command, as gomocalc sends them.
type parser struct {
	pass  func(command) bool // reports whether to go on
	board *command           // whose stones are being read, or nil
}

// line takes in one line, and reports whether to go on.
func (p *parser) line(text string) bool {
	for fields := strings.Fields(joinCommas(text)); len(fields) > 0; {
		c := p.board
		switch word := strings.ToUpper(fields[0]); {
		case c == nil:
			n := length(word, fields)
			c = &command{name: word, text: strings.Join(fields[1:n], " ")}
			fields = fields[n:]
			if boards[word] {
				p.board = c
				continue
			}
		case word == "DONE":
			fields = fields[1:]
		case isWord(word):
			c.stones = append(c.stones, nil) // a command, where DONE is missing
		default:
			numbers, _ := parseNumbers(word)
			c.stones = append(c.stones, numbers)
			fields = fields[1:]
			continue
		}
		p.board = nil
		if !p.pass(*c) {
			return false
		}
	}
	return true
}

// boards are the commands that stones follow.
var boards = map[string]bool{"BOARD": true, "YXBOARD": true, "SWAP2BOARD": true}

// length is the number of fields that belong to the command that they begin with.
func length(word string, fields []string) int {
	n, belongs := 1, func(field string) bool { return !isWord(field) }
	switch {
	case boards[word]:
		return 1
	case handlers[word] == nil, word == "INFO" && len(fields) > 1 && strings.EqualFold(fields[1], "folder"): // which may have blanks
		return len(fields)
	case word == "INFO":
		n, belongs = min(3, len(fields)), func(field string) bool { return handlers[strings.ToUpper(field)] == nil }
	}
	for n < len(fields) && belongs(fields[n]) {
		n++
	}
	return n
}

// isWord reports whether a field begins as the name of a command does.
func isWord(field string) bool {
	first := field[0] | 0x20 // an ASCII letter in lower case
	return first >= 'a' && first <= 'z'
}

// splitLine is a bufio.SplitFunc of lines that end with LF or CR; a CR LF is the end of a line and of an empty one. A line that is
// longer than the buffer is cut.
func splitLine(data []byte, atEOF bool) (advance int, token []byte, err error) {
	for i, b := range data {
		if b == '\n' || b == '\r' {
			return i + 1, data[:i], nil
		}
	}
	if len(data) == maxLine || atEOF && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}

// joinCommas takes out the blanks around commas: "7 , 7" is "7,7".
func joinCommas(text string) string {
	parts := strings.Split(text, ",")
	for i := range parts {
		if i > 0 {
			parts[i] = strings.TrimLeft(parts[i], " \t")
		}
		if i < len(parts)-1 {
			parts[i] = strings.TrimRight(parts[i], " \t")
		}
	}
	return strings.Join(parts, ",")
}

// parseNumbers reads numbers between commas or blanks: "7,7", "15 15". ok is false if something is no number.
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

package gomocup

import (
	"bufio"
	"context"
	"io"
	"iter"
	"regexp"
	"strconv"
	"strings"
	"time"

	"tengen/internal/files"
)

// command is a manager's command, with the stones that follow it.
type command struct {
	name string // upper case
	text string // arguments, separated by blanks
	// stones follow BOARD and its like, up to DONE: x, y and perhaps the side. Malformed ones are nil, as is the last
	// one if DONE is missing.
	stones [][]int
	read   time.Time // when its last part was read, which starts the move's clock
}

// maxLine is the longest line, in bytes. Longer ones are split.
const maxLine = 1 << 16

// readCommands sends in's commands. It closes the channel at the end of in or, at the next command, of ctx.
func readCommands(ctx context.Context, in io.Reader, commands chan<- command) {
	defer close(commands)
	for c := range parse(in) {
		c.read = time.Now()
		select {
		case commands <- c:
		case <-ctx.Done():
			return
		}
	}
}

// parse yields in's commands. A command is a word and its numbers, so a line may hold several. INFO extends to the next
// command, an unknown command to the end of its line. Stones stand on separate lines or, from gomocalc, after their
// command.
func parse(in io.Reader) iter.Seq[command] {
	return func(yield func(command) bool) {
		lines := bufio.NewScanner(files.TextReader(in))
		lines.Buffer(nil, maxLine)
		lines.Split(splitLine)
		var board *command // the command whose stones are being read, or nil
		for lines.Scan() {
			for fields := strings.Fields(commas.ReplaceAllString(lines.Text(), ",")); len(fields) > 0; {
				c := board
				switch word := strings.ToUpper(fields[0]); {
				case c == nil:
					n := length(word, fields)
					c = &command{name: word, text: strings.Join(fields[1:n], " ")}
					fields = fields[n:]
					if boards[word] {
						board = c
						continue
					}
				case word == "DONE":
					fields = fields[1:]
				case isWord(word):
					c.stones = append(c.stones, nil) // DONE is missing
				default:
					numbers, _ := parseNumbers(word)
					c.stones = append(c.stones, numbers)
					fields = fields[1:]
					continue
				}
				board = nil
				if !yield(*c) {
					return
				}
			}
		}
	}
}

var commas = regexp.MustCompile(`[ \t]*,[ \t]*`)

var boards = map[string]bool{"BOARD": true, "YXBOARD": true, "SWAP2BOARD": true}

// length returns how many of the fields belong to the first command, whose name is word.
func length(word string, fields []string) int {
	n, belongs := 1, func(field string) bool { return !isWord(field) }
	switch {
	case boards[word]:
		return 1
	case handlers[word] == nil:
		return len(fields)
	case word == "INFO" && len(fields) > 1 && strings.EqualFold(fields[1], "folder"): // its path may have blanks
		return len(fields)
	case word == "INFO":
		n, belongs = min(3, len(fields)), func(field string) bool { return handlers[strings.ToUpper(field)] == nil }
	}
	for n < len(fields) && belongs(fields[n]) {
		n++
	}
	return n
}

// isWord reports whether a field begins with a letter.
func isWord(field string) bool {
	first := field[0] | 0x20 // ASCII, in lower case
	return first >= 'a' && first <= 'z'
}

// splitLine is a bufio.SplitFunc for lines that end with LF or CR. It splits lines longer than the buffer.
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

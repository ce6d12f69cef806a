package gomocup

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"tengen/internal/files"
)

// command is a manager's command, with the stones that follow it.
type command struct {
	name   string    // upper case
	text   string    // arguments, separated by blanks
	stones [][]int   // of the lines after BOARD and its like, up to DONE: x, y and perhaps the side. Malformed ones are nil
	read   time.Time // when its last line was read, which starts the move's clock
}

var boards = map[string]bool{"BOARD": true, "YXBOARD": true, "SWAP2BOARD": true}

// readCommands sends in's commands, one per line, until the end of in or, at the next command, of ctx. Its error is
// in's.
func readCommands(ctx context.Context, in io.Reader, commands chan<- command) error {
	lines := bufio.NewScanner(files.TextReader(in))
	for lines.Err() == nil && lines.Scan() { // after an error, Scan would take half a line for a whole one
		fields := strings.Fields(lines.Text())
		if len(fields) == 0 {
			continue
		}
		c := command{name: strings.ToUpper(fields[0]), text: strings.Join(fields[1:], " ")}
		for boards[c.name] && lines.Scan() && !strings.EqualFold(strings.TrimSpace(lines.Text()), "DONE") {
			stone, _ := parseNumbers(lines.Text())
			c.stones = append(c.stones, stone)
		}
		c.read = time.Now()
		select {
		case commands <- c:
		case <-ctx.Done():
			return nil
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("cannot read a command of at most %d bytes: %w", bufio.MaxScanTokenSize-1, err)
	}
	return nil
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

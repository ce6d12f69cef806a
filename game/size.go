package game

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseSize reads the numbers of a board in a family of games, "columns,rows,k" as in "7,6,4": width, height and how
// many stones in a row win. It does not judge whether the family has such a board.
func ParseSize(text string) (columns, rows, k int, err error) {
	parts := strings.Split(text, ",")
	if len(parts) != 3 {
		return 0, 0, 0, fmt.Errorf("board %q: want three numbers, columns,rows,k, such as 7,6,4", text)
	}
	var numbers [3]int
	for i, part := range parts {
		if numbers[i], err = strconv.Atoi(strings.TrimSpace(part)); err != nil {
			return 0, 0, 0, fmt.Errorf("board %q: %q is not a number; want columns,rows,k, such as 7,6,4", text, part)
		}
	}
	return numbers[0], numbers[1], numbers[2], nil
}

// CheckSize returns an error that names the first value out of range: columns or rows outside 1 to limit, or k
// outside 1 to the longer side of the board.
func CheckSize(columns, rows, k, limit int) error {
	for _, value := range []struct {
		name     string
		is, most int
	}{{"columns", columns, limit}, {"rows", rows, limit}, {"k", k, max(columns, rows)}} {
		if value.is < 1 || value.is > value.most {
			return fmt.Errorf("board of %d columns, %d rows, k %d: %s must be from 1 to %d",
				columns, rows, k, value.name, value.most)
		}
	}
	return nil
}

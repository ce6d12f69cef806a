package gomocup

import (
	"bufio"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// parsed is the commands of a text: name, arguments and stones of each.
func parsed(t *testing.T, text string) (all []string) {
	t.Helper()
	lines := bufio.NewScanner(strings.NewReader(text))
	for lines.Scan() {
		if c, ok := new(session).Read(lines); ok {
			all = append(all, strings.TrimSpace(fmt.Sprint(c.name, " ", c.text, " ", strings.Trim(fmt.Sprint(c.stones), "[]"))))
		}
	}
	return all
}

func TestCommands(t *testing.T) {
	for _, test := range []struct {
		texts []string
		want  []string
	}{
		{[]string{"START 15\n", "start 15\r\n", "\r\n  Start\t15  "}, []string{"START 15"}},
		{[]string{"TURN 7,8\n", "turn  7,8"}, []string{"TURN 7,8"}},
		{
			[]string{"BOARD\n7,7,1\n8,8,2\nDONE\nBEGIN\n", "board\r\n7, 7, 1\r\n8 ,8,2\r\ndone\r\nbegin"},
			[]string{"BOARD  7 7 1] [8 8 2", "BEGIN"},
		},
		{[]string{"BOARD\nDONE\nYXNBEST 3\n"}, []string{"BOARD", "YXNBEST 3"}},
		{[]string{"INFO rule 0\nINFO timeout_turn 5\n"}, []string{"INFO rule 0", "INFO timeout_turn 5"}},
		{[]string{"INFO folder C:\\My END\\x y\nEND"}, []string{"INFO folder C:\\My END\\x y", "END"}},
		{[]string{"WHAT is BEGIN\nBEGIN"}, []string{"WHAT is BEGIN", "BEGIN"}},
		{[]string{"BOARD\n1,a,1\nDONE"}, []string{"BOARD"}},
	} {
		for _, text := range test.texts {
			if got := parsed(t, text); !slices.Equal(got, test.want) {
				t.Errorf("%.40q is read as %q; want %q", text, got, test.want)
			}
		}
	}
}

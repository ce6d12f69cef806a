package gomocup

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// parsed is the commands of a text: name, arguments and stones of each.
func parsed(t *testing.T, text string) (all []string) {
	t.Helper()
	commands := make(chan command)
	go readCommands(t.Context(), strings.NewReader(text), commands)
	for c := range commands {
		all = append(all, strings.TrimSpace(fmt.Sprint(c.name, " ", c.text, " ", strings.Trim(fmt.Sprint(c.stones), "[]"))))
	}
	return all
}

// Commands are the same however they are spread over lines.
func TestCommands(t *testing.T) {
	for _, test := range []struct {
		texts []string
		want  []string
	}{
		{[]string{"START 15\n", "start 15\r\n", "\r\n  Start\t15  ", "START 15\r"}, []string{"START 15"}},
		{[]string{"TURN 7,8\n", "TURN 7 , 8\n", "turn 7, 8"}, []string{"TURN 7,8"}},
		{
			[]string{"BOARD\n7,7,1\n8,8,2\nDONE\nBEGIN\n", "BOARD 7,7,1 8,8,2 DONE BEGIN", "board\r7, 7, 1\r8 ,8,2 done\rbegin"},
			[]string{"BOARD  7 7 1] [8 8 2", "BEGIN"},
		},
		{[]string{"BOARD\nDONE\nYXNBEST 3\n", "BOARD DONE YXNBEST 3"}, []string{"BOARD", "YXNBEST 3"}},
		{[]string{"INFO rule 0\nINFO timeout_turn 5\n", "INFO rule 0 INFO timeout_turn 5"}, []string{"INFO rule 0", "INFO timeout_turn 5"}},
		{[]string{"INFO folder C:\\My END\\x y\nEND"}, []string{"INFO folder C:\\My END\\x y", "END"}},
		{[]string{"INFO evaluate 3,4 what else\nINFO\n"}, []string{"INFO evaluate 3,4 what else", "INFO"}},
		{[]string{"WHAT is BEGIN\nBEGIN"}, []string{"WHAT is BEGIN", "BEGIN"}},
		{[]string{"BOARD 1,1,1 x\nEND\n"}, []string{"BOARD  1 1 1]", "X", "END"}},
		{[]string{"BOARD 1,a,1 DONE"}, []string{"BOARD"}},
		{[]string{"BOARD 1,1,1"}, nil}, // the rest never came
		{[]string{strings.Repeat(" ", 3*maxLine) + "BEGIN"}, []string{"BEGIN"}},
	} {
		for _, text := range test.texts {
			if got := parsed(t, text); !slices.Equal(got, test.want) {
				t.Errorf("%.40q is read as %q; want %q", text, got, test.want)
			}
		}
	}
}

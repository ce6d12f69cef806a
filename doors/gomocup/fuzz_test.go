package gomocup

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// forms are all lines that a manager can get while nobody fails.
var forms = regexp.MustCompile(`^(OK|SWAP|\d+,\d+|\d+,\d+ \d+,\d+ \d+,\d+|FORBID \.|name="tengen".*|MESSAGE INFO MAX_\w+ \d+|INFO [A-Z]+ .*|MESSAGE REALTIME .*|ERROR .*|UNKNOWN .*)$`)

// FuzzSession sends anything: nothing fails, and every answer has a form that managers know.
func FuzzSession(f *testing.F) {
	for _, text := range []string{
		"START 15\nBEGIN\nTURN 0,0\nYXSTOP\nEND\n",
		"ABOUT\r\nSTART 20\r\nBOARD\r\n1,1,1\r\n2,2,2\r\nDONE\r\n",
		"RECTSTART 5,7\nYXBOARD 1,1,1 DONE YXNBEST 3\nTAKEBACK 1,1\nPLAY 1,1\nRESTART\nSWAP2BOARD DONE",
		"INFO rule 4\nSTART 15\nINFO rule 0 INFO max_memory 5\nINFO show_detail 3\nINFO timeout_turn -9\nBEGIN",
		"START 5\n" + strings.Repeat("BEGIN ", 9) + strings.Repeat("TURN 0,0 TURN 4,4 ", 9),
		"BOARD 1,1,1,1,1 -1,-1,2 DONE BOARD BOARD DONE DONE", "START 99999999999999999999\nSTART -1\nTURN ,,,\n\x00\xff",
	} {
		f.Add(text)
	}
	o := quiet(f, "random")
	f.Fuzz(func(t *testing.T, text string) {
		for line := range strings.Lines(atOnce(t, o, text)) {
			if line = strings.TrimSuffix(line, "\n"); !forms.MatchString(line) || strings.HasSuffix(line, " failed") {
				t.Errorf("answer %q", line)
			}
		}
	})
}

// FuzzAnswers sends commands, some of which make no sense: each gets as many answers as it wants, and no move goes to a cell that is
// taken.
func FuzzAnswers(f *testing.F) {
	f.Add([]byte{0, 5, 1, 2, 33, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
	f.Add([]byte{0, 1, 2, 0, 2, 7, 2, 9, 2, 44, 2, 50, 3, 17, 5, 6})
	o := quiet(f, "random")
	f.Fuzz(func(t *testing.T, data []byte) {
		var text strings.Builder
		answers := 0
		next := func() (n int) {
			if len(data) > 0 {
				n, data = int(data[0]), data[1:]
			}
			return n
		}
		for len(data) > 0 {
			c, wants := someCommand(next)
			text.WriteString(c + "\n")
			answers += wants
		}
		if got := strings.Count(atOnce(t, o, text.String()), "\n"); got != answers {
			t.Errorf("%q: %d answers; want %d", text.String(), got, answers)
		}
	})
}

// someCommand makes a command of numbers from 0 to 255, and says how many answers it wants.
func someCommand(next func() int) (text string, answers int) {
	cell := func() string { return fmt.Sprintf("%d,%d", next()%7, next()%7) }
	stones := func() (all string) {
		for range next() % 8 {
			all += fmt.Sprintf("%s,%d\n", cell(), 1+next()%2)
		}
		return "\n" + all + "DONE"
	}
	switch next() % 12 {
	case 0:
		return fmt.Sprintf("START %d", 4+next()%4), 1
	case 1:
		return "BEGIN", 1
	case 2, 3:
		return "TURN " + cell(), 1
	case 4:
		return "BOARD" + stones(), 1
	case 5:
		return "TAKEBACK " + cell(), 1
	case 6:
		return "PLAY " + cell(), 1
	case 7:
		return "RESTART", 1
	case 8:
		return []string{"STOP", "YXSTOP", "YXHASHCLEAR", "INFO rule 0", "INFO nothing at all", ""}[next()%6], 0
	case 9:
		return []string{"INFO rule 4", "INFO max_memory 7", "INFO max_memory 0", "INFO timeout_turn 0"}[next()%4], 0
	case 10:
		return []string{"YXNBEST 1", "ABOUT", "YXSHOWFORBID", "WHAT NOW"}[next()%4], 1
	default:
		return "SWAP2BOARD\nDONE", 1
	}
}

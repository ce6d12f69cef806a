package gomocup

import (
	"regexp"
	"strings"
	"testing"
)

// forms are all lines that a manager can receive from a working player.
var forms = regexp.MustCompile(`^(OK|SWAP|\d+,\d+|\d+,\d+ \d+,\d+ \d+,\d+|FORBID \.|name="tengen".*|MESSAGE INFO MAX_\w+ \d+|INFO [A-Z]+ .*|MESSAGE REALTIME .*|ERROR .*|UNKNOWN .*)$`)

// FuzzSession sends anything: nothing fails, and every answer has a form that managers know.
func FuzzSession(f *testing.F) {
	for _, text := range []string{
		"START 15\nBEGIN\nTURN 0,0\nYXSTOP\nEND\n",
		"ABOUT\r\nSTART 20\r\nBOARD\r\n1,1,1\r\n2,2,2\r\nDONE\r\n",
		"RECTSTART 5,7\nYXBOARD\n1,1,1\nDONE\nYXNBEST 3\nTAKEBACK 1,1\nPLAY 1,1\nRESTART\nSWAP2BOARD\nDONE",
		"INFO rule 4\nSTART 15\nINFO rule 0\nINFO max_memory 5\nINFO show_detail 3\nINFO timeout_turn -9\nBEGIN",
		"START 5\n" + strings.Repeat("BEGIN\n", 9) + strings.Repeat("TURN 0,0\nTURN 4,4\n", 9),
		"BOARD\n1,1,1,1,1 -1,-1,2\nDONE\nBOARD\nBOARD\nDONE\nDONE", "START 99999999999999999999\nSTART -1\nTURN ,,,\n\x00\xff",
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

// Every command has its answer, also one that makes no sense. "move" is any move.
func TestAnswers(t *testing.T) {
	move := regexp.MustCompile(`(?m)^\d,\d$`)
	const badRule = "ERROR rule 4 is not supported, only 0 (five or more in a row win), 1 (exactly five), 8 (Caro) and 9 (Caro, exactly five)\n"
	for _, test := range []struct{ text, want string }{
		{"START 4", "ERROR a board of 4 columns, 4 rows is not supported: sides are 5 to 20"},
		{"START 21", "ERROR a board of 21 columns, 21 rows is not supported: sides are 5 to 20"},
		{"START", `ERROR START wants the side of a square board, not ""`},
		{"START 5 6", `ERROR START wants the side of a square board, not "5 6"`},
		{"RECTSTART 5", `ERROR RECTSTART wants width,height, not "5"`},
		{"BEGIN", "ERROR there is no board yet: send START first"},
		{"RECTSTART 6,5\nRESTART", "OK\nOK"},
		{"RECTSTART 6,5\nTURN 5,5", "OK\nERROR 5,5 is not on the board of 6 columns, 5 rows"},
		{"RECTSTART 5,6\nPLAY 5,5", "OK\nERROR 5,5 is not on the board of 5 columns, 6 rows"},
		{"START 5\nPLAY -1,0\nPLAY 0,-1",
			"OK\nERROR -1,0 is not on the board of 5 columns, 5 rows\nERROR 0,-1 is not on the board of 5 columns, 5 rows"},
		{"START 5\nPLAY 1,1\nTURN 1,1\nTURN 4,4", "OK\nmove\nERROR 1,1 is taken\nmove"},
		{"START 5\nPLAY 1,1\nTAKEBACK 1 , 1\nTAKEBACK 1,1", "OK\n1,1\nOK\nERROR there is no stone on 1,1"},
		{"START 5\nTAKEBACK 5,5", "OK\nERROR 5,5 is not on the board of 5 columns, 5 rows"},
		{"START 5\nTURN 1", `OK` + "\n" + `ERROR TURN wants x,y, not "1"`},
		{"START 5\nBOARD\n1,1,1\n2,2,2\nDONE", "OK\nmove"},
		{"START 5\nBOARD\n1,1,2\n1,1,2\nDONE", "OK\nERROR 1,1 is taken"},
		{"START 5\nBOARD\n1,1,2\n1,2,3\nDONE", "OK\nERROR stone 2 is not x,y,1 or x,y,2 before DONE: no other stones are supported"},
		{"START 5\nYXBOARD\n1,1,1\nDONE\nTURN 1,1\nYXNBEST 2\nYXNBEST 0",
			"OK\nERROR 1,1 is taken\nmove\n" + `ERROR YXNBEST wants the number of moves, not "0"`},
		{"START 5\nSWAP2BOARD\nDONE", "OK\n2,2 3,3 0,4"},
		{"START 5\nSWAP2BOARD\n1,1\nDONE", "OK\nERROR SWAP2BOARD wants 0, 3 or 5 stones"},
		{"START 5\nSWAP2BOARD\n1,1\n0,0\n2,1\nDONE\nSWAP2BOARD\n1,1\n0,0\n2,1\n0,4\n3,1\nDONE\nTURN 1,1", "OK\nmove\nmove\nmove"},
		{"START 5\nSWAP2BOARD\n1,1,1\nDONE", "OK\nERROR stone 1 is not x,y before DONE"},
		{"START 5\nINFO max_memory 7\nBEGIN\nINFO max_memory 0\nBEGIN",
			"OK\nERROR max_memory is 7, but must be at least 104857600 bytes\nmove"},
		{"START 5\nINFO rule 4\nBEGIN\nSTART 5\nINFO rule 0\nBEGIN", "OK\n" + strings.Repeat(badRule, 2) + "move"},
		{"START 5\nSTOP\nYXSTOP\nYXHASHCLEAR\nINFO nothing at all\nINFO timeout_turn soon\nINFO\nINFO rule 0\nYXSHOWFORBID", "OK\nFORBID ."},
		{"YXSHOWINFO", "MESSAGE INFO MAX_THREAD_NUM 256\nMESSAGE INFO MAX_HASH_SIZE 30"},
		{"\nWHAT NOW\nABOUT", "UNKNOWN WHAT NOW\n" + `name="tengen", version="", author="the tengen authors"`},
	} {
		got := strings.TrimSuffix(atOnce(t, quiet(t, "random"), test.text), "\n")
		if got != test.want && move.ReplaceAllString(got, "move") != test.want {
			t.Errorf("%s\n%s\nwant\n%s", test.text, got, test.want)
		}
	}
}

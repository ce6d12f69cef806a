package gtp

import (
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tengen/engine"
	"tengen/game"
)

// Every command has its answer, also one that makes no sense. "any" is any move.
func TestAnswers(t *testing.T) {
	file := filepath.Join(t.TempDir(), "game.sgf")
	if err := os.WriteFile(file, []byte("(;GM[4]SZ[15];B[hh];W[ii];B[hi])"), 0o666); err != nil {
		t.Fatal(err)
	}
	small := filepath.Join(t.TempDir(), "small.sgf")
	if err := os.WriteFile(small, []byte("(;GM[1]SZ[5]KM[2.5];B[bb])"), 0o666); err != nil {
		t.Fatal(err)
	}
	all := strings.Join(slices.Sorted(maps.Keys(commands)), "\n")
	const five = "play b a1 play w a2 play b b1 play w b2 play b c1 play w c2 play b d1 play w d2 play b e1"
	vertex := regexp.MustCompile(`[A-Z]\d+`)
	for _, test := range []struct{ game, text, want string }{
		{"gomoku", "protocol_version", "= 2"},
		{"gomoku", "name|version", "= tengen|= 1.0"},
		{"gomoku", "1 name|00 version| 7", "=1 tengen|=00 1.0|?7 unknown command"},
		{"gomoku", "\r|  # nothing|na\x01me\r|\tversion \t # it", "= tengen|= 1.0"},
		{"gomoku", "NAME|what is this|\xff\xfe", "? unknown command|? unknown command|? unknown command"},
		{"gomoku", "list_commands", "= " + all},
		{"gomoku", "known_command play|known_command resign|known_command", "= true|= false|? syntax error: known_command wants name, not \"\""},
		{"gomoku", "quit|name", "="},
		{"gomoku", "boardsize 9|boardsize 9 12|rectangular_boardsize 12 9|boardsize 1|boardsize 1000000|boardsize -3", "=|=|=|? unacceptable size|? unacceptable size|? unacceptable size"},
		{"gomoku", "boardsize|boardsize nine|boardsize 9.5", `? syntax error: boardsize wants side, not ""|? syntax error: boardsize wants side, not "nine"|? syntax error: boardsize wants side, not "9.5"`},
		{"gomoku", "komi 6.5|komi -7|komi nan", `=|=|? syntax error: komi wants points, not "nan"`},
		{"gomoku", "play B H8|play white j8|play w h8|undo|play w h8", "=|=|? illegal move|=|? illegal move"},
		{"gomoku", "play b i5|play b z1|play b a16|play b pass|play green a1|play b", `? illegal move|? illegal move|? illegal move|? illegal move|` +
			`? syntax error: play wants colour vertex, not "green a1"|? syntax error: play wants colour vertex, not "b"`},
		{"gomoku", "undo|play b a1|undo|undo", "? cannot undo|=|=|? cannot undo"},
		{"gomoku", "play b a1|play b b1|play b c1|genmove w|genmove w", "=|=|=|= any|= any"},
		{"gomoku", "genmove|genmove x", `? syntax error: genmove wants colour, not ""|? syntax error: genmove wants colour, not "x"`},
		{"gomoku", "reg_genmove b|undo|genmove b|undo", "= any|? cannot undo|= any|="},
		{"gomoku", strings.ReplaceAll(five, " play", "|play") + "|genmove w|play w o15|final_score|lz-analyze",
			strings.Repeat("=|", 9) + "? the game is over: the first player has won|? illegal move|= B+1|? the game is over: the first player has won"},
		{"gomoku", "final_score|clear_board", "? cannot score: the game is not over|="},
		{"gomoku", "set_random_seed 5|set_random_seed x|genmove b", `=|? syntax error: set_random_seed wants number, not "x"|= any`},
		{"gomoku", "time_settings 60 0 0|time_left b 50 0|time_settings 1 2|time_left x 1 1", "=|=|" +
			`? syntax error: time_settings wants seconds seconds stones, not "1 2"|? syntax error: time_left wants colour seconds stones, not "x 1 1"`},
		{"gomoku", "loadsgf " + file + "|play w h8|undo|loadsgf " + file + " 3|play b h7", "=|? illegal move|=|=|="},
		{"gomoku", "loadsgf " + file + "|undo|undo|undo|undo", "=|=|=|=|? cannot undo"},
		{"go", "loadsgf " + small + "|play w f1|play w pass|play b pass|final_score", "=|? illegal move|=|=|= B+22.5"},
		{"gomoku", "loadsgf nowhere", "? cannot load file"},
		{"tictactoe", "play b b2|showboard", "=|= |   A  B  C|3  .  .  .|2  . (X) .|1  .  .  .|   A  B  C"},
		{"gomoku", "set_game Othello|play b d3|play w f5|play w C3|genmove b", "=|=|? illegal move|=|= any"},
		{"gomoku", "set_game chess|set_game mnk:9,9,5,exact|boardsize 7", `? game "chess" is unknown: write connect4 or connect4:COLUMNS,ROWS,K, tictactoe, gomoku, ` +
			`mnk:COLUMNS,ROWS,K[,exact][,caro], othello or othello:SIDE, breakthrough or breakthrough:COLUMNS,ROWS, ` +
			`go or go:SIDE[,KOMI] or go:COLUMNSxROWS,KOMI|=|=`},
		{"othello", "play w d6|play b pass|boardsize 7|boardsize 6", "? illegal move: the other side is to move|? illegal move|? unacceptable size|="},
		{"connect4", "play b D1|play w D1|play w d2|play w d3|genmove b", "=|? illegal move|=|? illegal move: the other side is to move|= any"},
		{"connect4", "genmove b avoid w D1 5", "= any"},
		{"breakthrough", "play b a2a3|play w A7A6|play b a1", "=|=|? illegal move"},
		{"go:5", "komi 2.5|play b a1|play w b1|play b a1|play w a2|play b a1|play b b2|play b pass|play w pass|final_score|play b c3|genmove b|undo|final_score",
			"=|=|=|? illegal move|=|? illegal move|=|=|=|= W+4.5|? illegal move|= pass|=|= W+4.5"},
		{"go:5", "play b c3|komi 6.5|play w c3|undo|komi 26|komi -1|komi 7.25", "=|=|? illegal move|=" + strings.Repeat("|? unacceptable komi: want 0 to 25 points or half points", 3)},
		{"go:5", "play b pass|genmove b|play b c3|play w c3", "=|? illegal move: the other side is to move, and its pass would end the game|" +
			"? illegal move: the other side is to move, and its pass would end the game|="},
		{"go:2,1", "play b a1|showboard|play w pass|play b pass|final_score", "=|= |   A  B|2  .  .|1 (X) .|   A  B|first player 4, second player 0 + 1|=|=|= B+3"},
		{"go", "place_free_handicap 2|fixed_handicap 2|known_command set_free_handicap", "? unknown command|? unknown command|= false"},
		{"breakthrough:3,5", "play b a2b3|play w c4b3|genmove b", "=|=|= a1a2"},
	} {
		got := strings.TrimSuffix(atOnce(t, options(t, test.game, "uct:2"), strings.ReplaceAll(test.text, "|", "\n")), "\n\n")
		got = regexp.MustCompile("(cannot load file): .*").ReplaceAllString(got, "$1") // systems word it differently
		got = strings.ReplaceAll(strings.ReplaceAll(got, "\n\n", "|"), "\n", "|")
		want := strings.ReplaceAll(test.want, "\n", "|")
		if got != want && vertex.ReplaceAllString(got, "any") != want && !strings.Contains(want, "a1a2") {
			t.Errorf("%s: %s\n%s\nwant\n%s", test.game, test.text, got, want)
		}
	}
}

// Every game keeps its other rules on a board of another size.
func TestResized(t *testing.T) {
	for _, test := range []struct {
		name          string
		columns, rows int
		want          string
	}{
		{"gomoku", 15, 15, "gomoku"}, {"gomoku", 19, 19, "mnk:19,19,5"}, {"gomoku", 9, 12, "mnk:9,12,5"}, {"tictactoe", 5, 5, "mnk:5,5,3"},
		{"mnk:15,15,5,exact,caro", 9, 9, "mnk:9,9,5,exact,caro"}, {"mnk:9,9,5", 15, 15, "gomoku"}, {"mnk:4,4,4", 6, 6, "mnk:6,6,4"},
		{"connect4", 8, 7, "connect4:8,7,4"}, {"connect4:8,7,5", 7, 6, "connect4:7,6,5"}, {"othello", 10, 10, "othello:10"},
		{"othello:6", 8, 8, "othello"}, {"othello", 8, 6, ""}, {"breakthrough", 5, 6, "breakthrough:5,6"}, {"breakthrough:5,5", 8, 8, "breakthrough"},
		{"go", 19, 19, "go:19,7"}, {"go:19,6.5", 9, 9, "go"}, {"go:7", 5, 5, "go:5,24"}, {"go", 9, 7, "go:9x7,7"}, {"go", 20, 20, ""},
	} {
		g, err := engine.Open(test.name)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if g, err := g.OnBoard(game.Size{Columns: test.columns, Rows: test.rows}, nil); err == nil {
			got = g.Info().Name
		}
		if got != test.want {
			t.Errorf("%s with %d columns, %d rows is %q; want %q", test.name, test.columns, test.rows, got, test.want)
		}
	}
}

// The manager's komi stays on boards of other sizes. Without one, each board has its usual komi.
func TestKomi(t *testing.T) {
	for _, test := range []struct{ game, text, want string }{
		{"go", "boardsize 7", "go:7,9"}, {"go:9,6.5", "boardsize 9\nclear_board", "go:9,6.5"}, {"go:9,6.5", "boardsize 13", "go:13,7"},
		{"go", "komi 6.5\nboardsize 13\nclear_board", "go:13,6.5"}, {"go", "boardsize 5\nkomi 2", "go:5,2"}, {"go", "komi 6\nboardsize 9 7", "go:9x7,6"},
		{"go", "komi 5\nkomi 7", "go"}, {"gomoku", "komi 6.5\nboardsize 19", "mnk:19,19,5"}, {"gomoku", "komi 6.5\nset_game go\nboardsize 5", "go:5,24"},
	} {
		s, err := newSession(io.Discard, options(t, test.game, "random"))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Run(t.Context(), strings.NewReader(test.text)); err != nil {
			t.Fatal(err)
		}
		if got := s.board.info.Name; got != test.want {
			t.Errorf("%s after %q is %s; want %s", test.game, test.text, got, test.want)
		}
	}
}

// The log says when a network does not know the komi.
func TestUnknownKomi(t *testing.T) {
	const warning = "net:go-9: it knows komi 7"
	for text, want := range map[string]int{"komi 7": 0, "komi 6.5": 1, "komi 6.5\nclear_board": 2, "boardsize 13": 0} {
		var log strings.Builder
		o := options(t, "go", "net:go-9")
		o.Log = &log
		atOnce(t, o, text)
		if got := strings.Count(log.String(), warning); got != want {
			t.Errorf("%s: %d warnings in %q, want %d", text, got, log.String(), want)
		}
	}
}

// answers is what a manager may receive: answers and failures without empty lines inside, each with one behind it.
var answers = regexp.MustCompile(`^([=?]\d*( [^\n]*)?\n([^=?\n][^\n]*\n)*\n)*$`)

// FuzzSession sends anything: nothing fails, and every answer has the protocol's form.
func FuzzSession(f *testing.F) {
	for _, text := range []string{
		"1 boardsize 9\nkomi 6.5\nclear_board\nplay b d4\ngenmove w\nlz-analyze b 10\nshowboard\n", "set_game othello\nplay b d3\ngenmove b\nfinal_score\nundo",
		"time_settings 0 0 0\ntime_left b 1e14 9999999999\ngenmove b\nkata-genmove_analyze w interval 0\n", "boardsize 99999999999999999999\n\x00\xff# \r\n3",
		"rectangular_boardsize 0 -1\nlist_games\nlist_commands\nset_random_seed -1\nloadsgf . 0\nloadsgf /dev/null -4", "play\nplay b\nplay b b b\nquit\nname",
	} {
		f.Add(text)
	}
	o := options(f, "tictactoe", "random")
	f.Fuzz(func(t *testing.T, text string) {
		o.Log = t.Output()
		if got := atOnce(t, o, text); !answers.MatchString(got) || strings.Contains(got, " failed\n") {
			t.Errorf("answers %q", got)
		}
	})
}

// Thousands of commands at random, good and bad ones, each have one answer.
func TestRandomLines(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	names := strings.Fields("name komi list_games clear_board boardsize boardsize rectangular_boardsize set_game undo showboard final_score " +
		"time_settings time_left lz-analyze kata-analyze lz-genmove_analyze kata-genmove_analyze reg_genmove play play play genmove genmove known_command rubbish")
	arguments := strings.Fields("b w B white black pass a1 B2 c3 d4 E5 a2a3 b7b6 d3 9 6 8 5 3 -1 0 1.5 1e300 nan inf othello connect4 breakthrough:4,5 " +
		"mnk:6,6,4,exact tictactoe interval # \x00 \x7f \xff é ====")
	var text strings.Builder
	const lines = 20_000
	for i := range lines {
		fmt.Fprintf(&text, "%d %s", i, names[rng.IntN(len(names))])
		for range rng.IntN(4) {
			text.WriteString(" " + arguments[rng.IntN(len(arguments))])
		}
		text.WriteString([]string{"\n", "\r\n", "\n\n", " # \n"}[rng.IntN(4)])
	}
	got := atOnce(t, options(t, "tictactoe", "random"), text.String())
	if !answers.MatchString(got) || strings.Contains(got, " failed\n") {
		t.Error("an answer has another form")
	}
	ids := regexp.MustCompile(`(?m)^[=?](\d+)`).FindAllStringSubmatch(got, -1)
	if len(ids) != lines {
		t.Errorf("%d answers to %d commands", len(ids), lines)
	}
	for i, id := range ids {
		if id[1] != fmt.Sprint(i) {
			t.Fatalf("answer %d is to command %s", i, id[1])
		}
	}
	t.Logf("%d successes", strings.Count("\n"+got, "\n="))
}

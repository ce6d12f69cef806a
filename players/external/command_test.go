package external

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestSplitWords(t *testing.T) {
	for _, c := range []struct {
		command       string
		unix, windows []string // nil: an error
	}{
		{"", []string{}, []string{}},
		{" gnugo \t --mode  gtp ", []string{"gnugo", "--mode", "gtp"}, []string{"gnugo", "--mode", "gtp"}},
		{`"a b" 'c d'e ''`, []string{"a b", "c de", ""}, []string{"a b", "c de", ""}},
		{`C:\x.exe -p "C:\Program Files\y"`, []string{"C:x.exe", "-p", "C:Program Filesy"}, []string{`C:\x.exe`, "-p", `C:\Program Files\y`}},
		{`a\ b "\"" '\'`, []string{"a b", `"`, `\`}, nil},
		{`"C:\bin\" x`, nil, []string{`C:\bin\`, "x"}},
		{`it's`, nil, nil},
		{`x\`, nil, []string{`x\`}},
	} {
		for windows, want := range map[bool][]string{false: c.unix, true: c.windows} {
			words, err := splitWords(c.command, windows)
			if !slices.Equal(words, want) || (err == nil) != (want != nil) {
				t.Errorf("%q, Windows: %v: %q, %v; want %q", c.command, windows, words, err, want)
			}
		}
	}
}

// Words that are quoted as for a shell come back as they were.
func TestQuotedWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		windows := rapid.Bool().Draw(t, "windows")
		letters := []rune{'a', 'b', ' ', '\t', '"', '\\', ':', '=', 'ä'}
		if !windows {
			letters = append(letters, '\'')
		}
		words := rapid.SliceOf(rapid.StringOf(rapid.SampledFrom(letters))).Draw(t, "words")
		quoted := make([]string, len(words))
		for i, w := range words {
			quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		if got, err := splitWords(strings.Join(quoted, " "), windows); err != nil || !slices.Equal(got, words) {
			t.Errorf("%q is read as %q, %v", quoted, got, err)
		}
	})
}

func TestParseCommand(t *testing.T) {
	for _, c := range []struct {
		protocol, text string
		words          []string
		options        []Option
		time           time.Duration
	}{
		{GTP, "gnugo --mode gtp", []string{"gnugo", "--mode", "gtp"}, nil, 0},
		{GTP, "level=10:gnugo", []string{"gnugo"}, []Option{{"level", "10"}}, 0},
		{GTP, "1s,level=10, komi=7.5:gnugo", []string{"gnugo"}, []Option{{"level", "10"}, {"komi", "7.5"}}, time.Second},
		{GTP, "level=3, 5s:gnugo", []string{"gnugo"}, []Option{{"level", "3"}}, 5 * time.Second},
		{GTP, "env A=b:c x", []string{"env", "A=b:c", "x"}, nil, 0},
		{GTP, "level=1:env A=b:c x", []string{"env", "A=b:c", "x"}, []Option{{"level", "1"}}, 0},
		{GTP, "x -time 1s:2", []string{"x", "-time", "1s:2"}, nil, 0},
		{GTP, `'C:\x.exe' a:b`, []string{`C:\x.exe`, "a:b"}, nil, 0},
		{GTP, `a="b:c,d",e='"':x`, []string{"x"}, []Option{{"a", "b:c,d"}, {"e", `"`}}, 0},
		{GTP, `a=b" c,d":x`, []string{"x"}, []Option{{"a", "b c,d"}}, 0},
		{GTP, `a="it's":x`, []string{"x"}, []Option{{"a", "it's"}}, 0},
		{Gomocup, "500ms:pbrain", []string{"pbrain"}, nil, time.Second / 2},
		{UCI, "nodes=5,Skill Level=3:fairy -x:y", []string{"fairy", "-x:y"}, []Option{{"nodes", "5"}, {"Skill Level", "3"}}, 0},
		{UCI, "depth=2:env A=b:c x", []string{"env", "A=b:c", "x"}, []Option{{"depth", "2"}}, 0},
		{UCI, `1s,Book='C:\a b,c':x`, []string{"x"}, []Option{{"Book", `C:\a b,c`}}, time.Second},
	} {
		got, err := ParseCommand(c.protocol, c.text)
		if err != nil || !slices.Equal(got.Words, c.words) || !slices.Equal(got.Options, c.options) || got.Time != c.time {
			t.Errorf("%s:%s is read as %+v, %v", c.protocol, c.text, got, err)
		}
	}
	if _, err := ParseCommand(UCI, "Skill Level=3:x"); err == nil || !strings.Contains(err.Error(), "nothing limits a move") {
		t.Error(err)
	}
	for _, limit := range []string{"nodes=x", "nodes=0", "depth=-1", "depth=1.5", "nodes="} {
		if _, err := ParseCommand(UCI, limit+":x"); err == nil || !strings.Contains(err.Error(), "but must be a whole number above 0") {
			t.Errorf("%s: %v", limit, err)
		}
	}
}

// What a UCI engine says of its best line, the last of it, is heeded.
func TestHeed(t *testing.T) {
	nothing := float32(math.NaN())
	for _, c := range []struct {
		lines string
		value float32
		nodes int
		pv    string
	}{
		{"info depth 3 nodes 50 pv a2a3 b7b6", nothing, 50, "a2a3 b7b6"},
		{"info score cp 120 nodes 50 pv a2a3", nothing, 50, "a2a3"},
		{"info score mate 3 pv a2a3", 1, 0, "a2a3"},
		{"info score mate -2", -1, 0, ""},
		{"info score mate 0", -1, 0, ""},
		{"info score cp 5 wdl 100 800 100", 0, 0, ""},
		{"info score cp 5 wdl 1000 0 0 nodes 9", 1, 9, ""},
		{"info score mate 4 wdl 900 100 0", 0.9, 0, ""},
		{"info score cp 5 wdl 0 250 750\ninfo depth 4 currmove a2a3", -0.75, 0, ""},
		{"info multipv 1 score mate 1 nodes 4 pv b2b3\ninfo multipv 2 score mate -1 nodes 5 pv c2c3", 1, 4, "b2b3"},
		{"info score mate 3\ninfo score cp 5", nothing, 0, ""},
		{"info string mate 3 nodes 7 pv a2a3\ninfo nodes", nothing, 0, ""},
		{"info score wdl\ninfo score cp 1 wdl x y z", 0, 0, ""},
	} {
		a := Answer{Value: nothing}
		for line := range strings.Lines(c.lines) {
			a.heed(strings.Fields(line))
		}
		same := a.Value == c.value || math.IsNaN(float64(a.Value)) && math.IsNaN(float64(c.value))
		if !same || a.Nodes != c.nodes || strings.Join(a.PV, " ") != c.pv {
			t.Errorf("%q: %+v", c.lines, a)
		}
	}
}

package players_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tengen/players"
)

func TestParseSpec(t *testing.T) {
	for _, c := range []struct {
		text string
		want players.Spec
	}{
		{"random", players.Spec{Kind: players.KindRandom}},
		{"human", players.Spec{Kind: players.KindHuman}},
		{"solver", players.Spec{Kind: players.KindSolver}},
		{"alphabeta:8", players.Spec{Kind: players.KindAlphaBeta, Limit: 8}},
		{"alphabeta:500ms", players.Spec{Kind: players.KindAlphaBeta, Time: 500 * time.Millisecond}},
		{"uct:1000", players.Spec{Kind: players.KindUCT, Limit: 1000}},
		{"uct:500ms", players.Spec{Kind: players.KindUCT, Time: 500 * time.Millisecond}},
		{"uct:1m30s", players.Spec{Kind: players.KindUCT, Time: 90 * time.Second}},
		{"uct:1000:c=1.4", players.Spec{Kind: players.KindUCT, Limit: 1000, Exploration: 1.4}},
		{"uct:500ms:c=0.5", players.Spec{Kind: players.KindUCT, Time: 500 * time.Millisecond, Exploration: 0.5}},
		{"net:m.safetensors", players.Spec{Kind: players.KindNet, Path: "m.safetensors", Limit: players.Unset}},
		{"net:runs/a:400", players.Spec{Kind: players.KindNet, Path: "runs/a", Limit: 400}},
		{"net:runs/a:0", players.Spec{Kind: players.KindNet, Path: "runs/a", Limit: 0}},
		{"net:runs/a:500ms", players.Spec{Kind: players.KindNet, Path: "runs/a", Time: 500 * time.Millisecond}},
		{"net:a:5:1s", players.Spec{Kind: players.KindNet, Path: "a:5", Time: time.Second}},
		{"net:a:1s:5", players.Spec{Kind: players.KindNet, Path: "a:1s", Limit: 5}},
		{"net:1s", players.Spec{Kind: players.KindNet, Path: "1s", Limit: players.Unset}},
		{"net:a:soon", players.Spec{Kind: players.KindNet, Path: "a:soon", Limit: players.Unset}},
		{`net:C:\models\m:2s`, players.Spec{Kind: players.KindNet, Path: `C:\models\m`, Time: 2 * time.Second}},
		{`net:C:\models\m:8`, players.Spec{Kind: players.KindNet, Path: `C:\models\m`, Limit: 8}},
		{`net:C:\models\m`, players.Spec{Kind: players.KindNet, Path: `C:\models\m`, Limit: players.Unset}},
		{"net:a:5:6", players.Spec{Kind: players.KindNet, Path: "a:5", Limit: 6}},
		{"net:5", players.Spec{Kind: players.KindNet, Path: "5", Limit: players.Unset}},
		{"gtp:gnugo --mode gtp", players.Spec{Kind: players.KindGTP, Path: "gnugo --mode gtp"}},
		{`gtp:level=10,x="a,b:c":env A=b:c 'x y':1s`, players.Spec{Kind: players.KindGTP, Path: `level=10,x="a,b:c":env A=b:c 'x y':1s`}},
		{"uci:2s,Skill Level=5:fairy", players.Spec{Kind: players.KindUCI, Path: "2s,Skill Level=5:fairy"}},
		{`gomocup:"C:\x.exe" 400`, players.Spec{Kind: players.KindGomocup, Path: `"C:\x.exe" 400`}},
	} {
		got, err := players.ParseSpec(c.text)
		if err != nil || got != c.want {
			t.Errorf("ParseSpec(%q) = %+v, %v; want %+v", c.text, got, err, c.want)
		}
		if got.String() != c.text {
			t.Errorf("ParseSpec(%q) is written %q", c.text, got)
		}
	}
}

func TestParseSpecRefuses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", `unknown kind ""`},
		{"utc:5", `unknown kind "utc"`},
		{"Random", `unknown kind "Random"`},
		{"random:3", `nothing may follow "random"`},
		{"human:", "nothing follows"},
		{"uct", "missing"},
		{"uct:", "nothing follows"},
		{"uct:0", "0 is not above 0"},
		{"uct:-5", "-5 is not above 0"},
		{"uct:-5s", "-5s is not above 0"},
		{"uct:many", `"many" is neither`},
		{"uct:99999999999999999999", `"99999999999999999999" is neither`},
		{"uct:10000001", "10000001 is above 10000000"},
		{"uct:5:c=", `c is "", but must be a number above 0 and at most 100`},
		{"uct:5:c=0", `c is "0"`},
		{"uct:5:c=NaN", `c is "NaN"`},
		{"uct:5:c=101", `c is "101"`},
		{"uct:5:d=1", `"5:d=1" is neither`},
		{"uct:c=1", `"c=1" is neither`},
		{"alphabeta:5:c=1", `"5:c=1" is neither`},
		{"net:m:10000001", "10000001 simulations are out of range, 0 to 10000000"},
		{"net", "path"},
		{"net::400", "path"},
		{"net::5s", "path"},
		{"alphabeta", "missing"},
		{"solver:3", `nothing may follow "solver"`},
		{"net:m:-1", "-1 simulations"},
		{"net:m:99999999999999999999", "99999999999999999999 simulations"},
		{"net:m:0s", "0s is not above 0"},
		{"net:m:1e3", "1e3 is not a whole number"},
		{"net:m:-3ms", "-3ms is not above 0"},
		{"gtp", "the command is missing: write gtp:COMMAND"},
		{"gtp:level=3:", "the command is missing"},
		{"gomocup:it's", "a quotation mark or a backslash stands alone"},
		{"uci:fairy", "nothing limits a move"},
	} {
		spec, err := players.ParseSpec(c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("ParseSpec(%q) = %+v, error %v; want an error with %q", c.text, spec, err, c.want)
		}
		if err != nil && !strings.Contains(err.Error(), fmt.Sprintf("player %q", c.text)) {
			t.Errorf("ParseSpec(%q): error %v does not name the SPEC", c.text, err)
		}
	}
}

// An error ends with the ways to write what was meant.
func TestParseSpecSaysWhatToWrite(t *testing.T) {
	for text, want := range map[string]string{"net:": "net:PATH:DURATION", "uct": "uct:PLAYOUTS[:c=C], uct:DURATION[:c=C]", "lizard": players.Forms()} {
		if _, err := players.ParseSpec(text); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("ParseSpec(%q): error %v, want one that ends with %s", text, err, want)
		}
	}
}

func FuzzParseSpec(f *testing.F) {
	for _, text := range []string{"random", "human", "uct:1000", "uct:1h2m3.5s", "net:a:b:400", "net:a:", "net:a:1m2s", "net:a:-0s", "net:a:.5us", "uct:+3", "net:a:-0", ":", "uct:1e3", "uct:5:c=.1e-9", "gtp:x", "gtp:a='b:c':x y", "uci:1s,Skill Level=2:x:5", `gomocup:C:\x.exe`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		spec, err := players.ParseSpec(text)
		if err != nil {
			if spec != (players.Spec{}) {
				t.Errorf("ParseSpec(%q) returns %+v with the error %v", text, spec, err)
			}
			return
		}
		if again, err := players.ParseSpec(spec.String()); err != nil || again != spec {
			t.Errorf("ParseSpec(%q) is %+v, written %q, read back as %+v, %v", text, spec, spec, again, err)
		}
	})
}

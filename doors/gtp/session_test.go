package gtp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"tengen/doors/manager"
	"tengen/engine"
	"tengen/game"
	"tengen/mcts"
	"tengen/net"
	"tengen/players"
	"tengen/players/playertest"
)

// Ten games of the door against itself, as a controller plays them, end in the same result on both sides.
func TestGames(t *testing.T) {
	passes := 0
	for i := range 10 {
		name := []string{"othello:6", "connect4", "mnk:9,9,5", "breakthrough:5,5", "go:5,4.5"}[i%5]
		o := options(t, name, "random")
		o.Seed = uint64(i)
		black := start(t, o)
		o.Seed += 100
		white := start(t, o)
		engines := []*controller{black, white}
		g := o.Game.Start()
		for ply := 0; !g.Over; ply++ {
			colour := []string{"b", "w"}[ply%2]
			vertex := engines[ply%2].ask("genmove " + colour)
			engines[1-ply%2].ask("play " + colour + " " + vertex)
			b := &board{game: o.Game, info: o.Game.Info()}
			a, err := b.move(g, vertex)
			if err != nil {
				t.Fatalf("%s, move %d: %s: %v", name, ply+1, vertex, err)
			}
			if g, err = g.Play(a); err != nil {
				t.Fatal(err)
			}
			if vertex == pass {
				passes++
			}
		}
		margin, scored := g.Margin()
		if !scored {
			margin = float64(g.Outcome)
		}
		want := map[bool]string{true: fmt.Sprintf("B+%v", margin), false: fmt.Sprintf("W+%v", -margin)}[margin > 0]
		if margin == 0 {
			want = "0"
		}
		for _, e := range engines {
			if got := e.ask("final_score"); got != want {
				t.Errorf("%s: %s, want %s", name, got, want)
			}
			e.quit()
		}
	}
	if passes == 0 {
		t.Error("no game had a pass")
	}
}

// A finished game of Othello has passes as moves, and a pass is made for a manager that leaves it out.
func TestPasses(t *testing.T) {
	g, err := engine.Open("othello")
	if err != nil {
		t.Fatal(err)
	}
	var before, forced engine.Position
	for seed := 0; len(forced.Legal) != 1 || forced.Format(forced.Legal[0]) != pass; seed++ {
		p := g.Start()
		for ply := 0; !p.Over && (len(p.Legal) != 1 || p.Format(p.Legal[0]) != pass); ply++ {
			before = p
			if p, err = p.Play(p.Legal[(seed*7+ply*13)%len(p.Legal)]); err != nil {
				t.Fatal(err)
			}
		}
		if !p.Over {
			forced = p
		}
	}
	o := options(t, "othello", "random")
	b := &board{game: g, info: g.Info()}
	text, colours := "", map[game.Side]string{game.First: "b", game.Second: "w"}
	p := g.Start()
	for _, a := range forced.Moves {
		text += fmt.Sprintf("play %s %s\n", colours[p.ToMove], b.vertices(p, a)[0])
		if p, err = p.Play(a); err != nil {
			t.Fatal(err)
		}
	}
	got := atOnce(t, o, text+"genmove "+colours[before.ToMove]+"\nundo\ngenmove "+colours[forced.ToMove])
	lines := strings.Split(strings.TrimSpace(got), "\n\n")
	if n := len(lines); !regexp.MustCompile(`^= [A-H][1-8]$`).MatchString(lines[n-3]) || lines[n-1] != "= pass" {
		t.Errorf("after the pass: %q", lines[n-3:])
	}
	finished := "set_game othello:4\n" + strings.Repeat("genmove b\ngenmove w\n", 16)
	lines = strings.Split(strings.TrimSpace(atOnce(t, o, finished+"play w pass\nundo\nundo\nfinal_score\nlz-genmove_analyze b")), "\n\n")
	if n := len(lines); lines[n-6] != "= pass" || lines[n-5] != "=" || !regexp.MustCompile(`^= [BW]\+\d+$|^= 0$`).MatchString(lines[n-2]) || lines[n-1] != "=\nplay pass" {
		t.Errorf("at the end: %q", lines[n-6:])
	}
}

// The next command ends an analysis and is then answered. The lines are those that Sabaki and Lizzie parse.
func TestAnalysis(t *testing.T) {
	const fields = `info move [A-I]\d visits \d+ winrate %s prior %s lcb %s order \d+ pv( [A-I]\d)+`
	integer, fraction := `\d{1,5}`, `[01]\.\d{6}`
	for command, one := range map[string]string{
		"lz-analyze b 10": fmt.Sprintf(fields, integer, integer, integer),
		"5 lz-analyze":    fmt.Sprintf(fields, integer, integer, integer),
		"kata-analyze W interval 1 ownership true": fmt.Sprintf(fields, fraction+" scoreLead 0.0", fraction, fraction),
	} {
		c := start(t, options(t, "mnk:8,8,5", "uct:10"))
		c.send(command)
		if line := c.line(); line != "=" && line != "=5" {
			t.Errorf("%s: %q", command, line)
		}
		for range 3 {
			if line := c.line(); !regexp.MustCompile("^" + one + "( " + one + ")*$").MatchString(line) {
				t.Errorf("%s: %.300q", command, line)
			}
		}
		c.send("name")
		for line := c.line(); line != ""; line = c.line() {
		}
		if name := c.answer("name"); name != "tengen" {
			t.Errorf("after %s, name is %q", command, name)
		}
		c.quit()
	}
}

// A player that knows nothing of visits is analyzed too, and its analysis ends with the input.
func TestAnalysisOfOthers(t *testing.T) {
	for player, want := range map[string]string{
		"alphabeta:2": `^=\n(info move [A-C]\d visits \d+ winrate \d+ prior \d+ lcb \d+ order 0 pv( [A-C]\d)+\n)+\n$`,
		"random":      `^=\n\n$`,
	} {
		if got := atOnce(t, options(t, "tictactoe", player), "lz-analyze 1\n"); !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("%s: %q", player, got)
		}
	}
	got := atOnce(t, options(t, "tictactoe", "uct:50"), "lz-genmove_analyze b 100\nundo\nkata-genmove_analyze b 100\n")
	if !regexp.MustCompile(`^=\n(info .*\n)+play [A-C]\d\n\n=\n\n=\n(info .*\n)+play [A-C]\d\n\n$`).MatchString(got) {
		t.Errorf("%q", got)
	}
}

// Commands that come during a thought wait for its end, and so does the end of the commands: scripts get the same moves.
func TestCommandsWait(t *testing.T) {
	o := options(t, "gomoku", "uct:300")
	c := start(t, o)
	want := "= " + c.ask("genmove b") + "\n\n= " + c.ask("genmove w") + "\n\n= tengen\n\n=\n\n"
	c.quit()
	if got := atOnce(t, o, "genmove b\ngenmove w\nname\nquit\n"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A line that is too long ends the session with an error, and no part of it is obeyed.
func TestLongLine(t *testing.T) {
	var out strings.Builder
	err := Run(t.Context(), strings.NewReader("name\nplay "+strings.Repeat("x", 10<<20)+"\nname\n"), &out, options(t, "gomoku", "random"))
	if err == nil || !strings.Contains(err.Error(), "cannot read a command of at most 65535 bytes: ") || out.String() != "= tengen\n\n" {
		t.Errorf("error %v after %.100q", err, out.String())
	}
}

// broken is a thinker that panics.
type broken struct{ engine.Thinker }

func (broken) Explain(context.Context, players.Limit, []game.Action, func(players.Report)) (players.Report, error) {
	panic("out of\nideas")
}

// If a player panics, the next one answers; if all fail, it is a legal move. The manager hears nothing of it.
func TestPanicIsAnswered(t *testing.T) {
	for _, specs := range [][]string{{"random"}, {"random", "alphabeta:1"}} {
		var out, log strings.Builder
		o := options(t, "gomoku", specs...)
		o.Log = &log
		s, err := newSession(&out, o)
		if err != nil {
			t.Fatal(err)
		}
		s.Brain.Thinker = broken{s.Brain.Thinker}
		s.Do(t.Context(), command{id: "3", name: "genmove", args: []string{"b"}, read: time.Now()})
		if !regexp.MustCompile(`^=3 [A-P]\d+\n\n$`).MatchString(out.String()) || !strings.HasPrefix(log.String(), "players: panic: out of ideas\n") {
			t.Errorf("%v: %q, log %q", specs, out.String(), log.String())
		}
	}
}

// Where no player can play, the session does not begin; on another board, the game stays.
func TestNobodyCanPlay(t *testing.T) {
	if err := Run(t.Context(), strings.NewReader(""), io.Discard, options(t, "gomoku", "net:nowhere")); err == nil || !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("error %v", err)
	}
	got := atOnce(t, options(t, "othello", "net:othello:1"), "boardsize 5\nset_game gomoku\nplay b d3\n")
	if lines := strings.Split(got, "\n\n"); lines[0] != "? unacceptable size" || !strings.HasPrefix(lines[1], `? player "net:othello:1"`) || lines[2] != "=" {
		t.Errorf("%q", lines)
	}
}

// Without --player, the network that comes with tengen for each game plays, or a search.
func TestDefaultPlayers(t *testing.T) {
	s, err := newSession(io.Discard, options(t, "connect4"))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"othello": "net:othello", "breakthrough": "net:breakthrough", "gomoku": "net:gomoku", "connect4": "net:connect4"} {
		s.Do(t.Context(), command{name: "set_game", args: []string{name}})
		if got := s.Players[s.Brain.Player].String(); s.board.info.Name != name || !strings.HasPrefix(got, want) {
			t.Errorf("%s is played by %s, not %s", s.board.info.Name, got, want)
		}
	}
}

// time_settings and time_left set the clock.
func TestTime(t *testing.T) {
	const s = time.Second
	for text, want := range map[string]*manager.Clock{
		"":                      nil,
		"time_settings 0 10 0":  nil, // no limit
		"time_settings 0 0 0":   {},  // as fast as possible
		"time_settings 300 0 0": {Turn: longest, Match: 300 * s, Left: 300 * s, Limited: true},
		"time_settings 300 0 0\ntime_left b 77 0":                                {Turn: longest, Match: 300 * s, Left: 77 * s, Limited: true, LeftSet: true},
		"time_settings 300 0 0\ntime_left b 77 4\nclear_board":                   {Turn: longest, Match: 300 * s, Left: 300 * s, Limited: true},
		"time_settings 300 0 0\ntime_left b 77 0\nreg_genmove b\nlz-analyze b 1": {Turn: longest, Match: 300 * s, Left: 77 * s, Limited: true, LeftSet: true},
		"time_settings 60 30 5":                                                  {Turn: longest, Match: 66 * s, Left: 66 * s, Limited: true, Increment: 6 * s},
		"time_settings 60 30 5\ntime_left b 20 4":                                {Turn: 5 * s, Match: 66 * s, Left: 20 * s, Limited: true, LeftSet: true, Increment: 6 * s},
		"time_settings 0 2 1":                                                    {Turn: longest, Match: 2 * s, Left: 2 * s, Limited: true, Increment: 2 * s},
		"time_settings 0 60 1\ngenmove b":                                        {Turn: longest, Match: 60 * s, Left: 60 * s, Limited: true, Increment: 60 * s},
		"time_left b 1.5 0\nclear_board":                                         nil,
		"time_left b 1.5 0":                                                      {Turn: longest, Left: 1500 * time.Millisecond, Limited: true, LeftSet: true},
	} {
		session, err := newSession(io.Discard, options(t, "gomoku", "random"))
		if err != nil {
			t.Fatal(err)
		}
		if err := session.Run(t.Context(), strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
		if got := session.clocks[game.First]; (got == nil) != (want == nil) || got != nil && *got != *want {
			t.Errorf("%q gives %+v, want %+v", text, got, want)
		}
	}
}

// kata-analyze says who will hold the points, from A5 to E1, if it is asked and the network knows.
func TestOwnership(t *testing.T) {
	search, err := json.Marshal(mcts.Default())
	if err != nil {
		t.Fatal(err)
	}
	o := options(t, "go:5,4")
	m := net.Model{Game: "go:5,4", Search: search, Weights: net.NewWeights(net.Default(), net.Shape{Height: 5, Width: 5, Actions: 26, Planes: 5, Named: 1}, 1)}
	path := filepath.Join(t.TempDir(), "model")
	if err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	o.Players = append(o.Players, playertest.Spec(t, "net:"+path))
	for command, owned := range map[string]bool{
		"kata-genmove_analyze w ownership true": true, "kata-genmove_analyze w": false, "kata-genmove_analyze w ownership": false,
		"kata-genmove_analyze w ownership false": false, "lz-genmove_analyze w ownership true": false,
	} {
		got := atOnce(t, o, command)
		if owned != regexp.MustCompile(`^=\n(info move .* )+ownership( -?[01]\.\d{3}){25}\nplay `).MatchString(got) || owned != strings.Contains(got, "owner") {
			t.Errorf("%s: %s", command, got)
		}
	}
}

package engine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tengen/eval"
	"tengen/eval/rating"
)

// kept plays a match that keeps its games, until the number stop is counted if that is above 0. It returns the result
// without what depends on time, and the file's lines.
func kept(t *testing.T, c MatchConfig, stop int) (eval.Result, []string, error) {
	t.Helper()
	e := open(t, "connect4")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := e.Match(ctx, c, player(t, e, "uct:10"), player(t, e, "random"), func(_ eval.MatchGame, r eval.Result) {
		if stop > 0 && r.Total().Games() >= stop {
			cancel()
		}
	})
	r.Elapsed, r.PlayerPace, r.AgainstPace = 0, eval.Pace{}, eval.Pace{}
	text, _ := os.ReadFile(c.GamesFile)
	return r, strings.SplitAfter(string(text), "\n"), err
}

// A match that was stopped, even in the middle of a line, goes on to the games and the result of one played at once.
func TestGamesFile(t *testing.T) {
	for name, sprt := range map[string]rating.SPRT{"match": {}, "SPRT": {Elo0: 0, Elo1: 20}} {
		t.Run(name, func(t *testing.T) {
			c := matchOf(300)
			c.SPRT, c.GamesFile = sprt, filepath.Join(t.TempDir(), "whole")
			whole, want, err := kept(t, c, 0)
			noError(t, err)
			if n := len(want) - 2; n != whole.Total().Games() || n < 10 || (n == 300) == (name == "SPRT") {
				t.Fatalf("%d games are kept of %v", n, whole)
			}
			c.GamesFile, c.Workers = filepath.Join(t.TempDir(), "part"), 1 // two may count all games of a test at once
			for _, stop := range []int{1, 20} {
				if _, lines, err := kept(t, c, stop); !errors.Is(err, context.Canceled) || len(lines) < stop+2 {
					t.Fatalf("%v after %d lines", err, len(lines))
				}
			}
			text, err := os.ReadFile(c.GamesFile)
			noError(t, err)
			for _, cut := range []int{0, 1, 30} {
				noError(t, os.WriteFile(c.GamesFile, text[:len(text)-cut], 0o644))
				again, got, err := kept(t, c, 0)
				slices.Sort(got)
				if slices.Sort(want); err != nil || again != whole || !slices.Equal(got, want) {
					t.Errorf("%d bytes cut: %v, %v, want %v", cut, again, err, whole)
				}
			}
			if again, got, err := kept(t, c, 0); err != nil || again != whole || len(got) != len(want) {
				t.Errorf("a match at its end ends as %v, %v", again, err)
			}
		})
	}
}

// A file of something else stays as it is, and a damaged line is named.
func TestGamesFileIsRefused(t *testing.T) {
	c := matchOf(6)
	c.GamesFile = filepath.Join(t.TempDir(), "games")
	_, lines, err := kept(t, c, 0)
	noError(t, err)
	another := func(old, new string) string { return strings.Replace(lines[0], old, new, 1) + lines[1] + "{" }
	line := func(text string) string { return lines[0] + lines[1] + text + "\n" + lines[2] }
	const other = "something else or another match"
	for text, want := range map[string]string{
		"notes":                          other,
		"notes\nand more":                other,
		"{}\n":                           other,
		another(`"seed":1`, `"seed":2`):  other,
		another(`plies":2`, `plies":3`):  other,
		another("uct:10", "uct:11"):      other,
		another("random", "solver"):      other,
		another("connect4", "othello"):   other,
		line("{"):                        "line 3: ",
		line(""):                         "line 3: ",
		line(`{"game":1,"moves":"999"}`): "line 3: ",
		line(`{"game":1,"moves":"4"}`):   "line 3: the outcome does not follow from the moves",
		line(`{"game":1,"moves":"1212121","outcome":-1}`):                       "line 3: the outcome does not",
		line(`{"game":1,"moves":"1212121","outcome":1,"forfeit":"it resigns"}`): "line 3: the outcome does not",
		line(`{"game":1,"moves":"4","outcome":2,"forfeit":"it resigns"}`):       "line 3: the outcome does not",
		line(`{"game":-1,"moves":"1212121","outcome":1}`):                       "line 3: the outcome does not",
	} {
		noError(t, os.WriteFile(c.GamesFile, []byte(text), 0o644))
		_, _, err := kept(t, c, 0)
		wantError(t, err, want, true)
		if strings.HasPrefix(want, "line") {
			wantError(t, err, "remove the line", true)
		} else if left, _ := os.ReadFile(c.GamesFile); string(left) != text {
			t.Errorf("%q has become %q", text, left)
		}
	}
	fault := `{"game":4,"opening":2,"moves":"12","outcome":-1,"forfeit":"it ended","fault":true}` + "\n"
	noError(t, os.WriteFile(c.GamesFile, []byte(lines[0]+fault+lines[1]+lines[1]), 0o644))
	if r, _, err := kept(t, c, 0); err != nil || r.Total().Games() != 6 {
		t.Errorf("%+v, %v: a fault and a game that is there twice", r, err)
	}
	c.GamesFile = t.TempDir()
	_, _, err = kept(t, c, 0)
	wantError(t, err, c.GamesFile, true)
}

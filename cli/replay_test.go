package cli

import (
	"database/sql"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tengen/replay"
	"tengen/replay/gamesdb"
)

// tinyRun trains the tiny run and returns its directory.
func tinyRun(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	mustCLI(t, "train", "--config", tiny, "--run", dir)
	return dir
}

// execSQL changes the database of a run that no process trains.
func execSQL(t *testing.T, dir, statement string, args ...any) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, gamesdb.FileName))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statement, args...); err != nil {
		t.Fatal(err)
	}
}

// Stats count the games of each worker, and verify finds a game that is damaged, missing or against the rules. Repair and a training
// bring back what is lost.
func TestReplayOfASpoiledRun(t *testing.T) {
	whole, dir := tinyRun(t), tinyRun(t)
	var illegal *replay.Record
	readGames(t, dir, func(e replay.Entry) {
		if e.Number == 9 {
			illegal = e.Game
		}
	})
	illegal.Moves = slices.Clone(illegal.Moves)
	illegal.Moves[1] = illegal.Moves[0]
	spoiled, err := illegal.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	execSQL(t, dir, "UPDATE games SET record = ? WHERE number = 9", spoiled)
	execSQL(t, dir, "UPDATE games SET worker = 'remote' WHERE number = 3")
	execSQL(t, dir, "UPDATE games SET plies = 99 WHERE number = 5")
	execSQL(t, dir, "DELETE FROM games WHERE number IN (11, 12)")
	const rules, damage = "game 9 is not a valid record of tictactoe: move 2", "game 5: "
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"show", dir, "3"}, exitOK, "game 3 of tictactoe, worker remote, model 0, seed 1"},
		{[]string{"show", dir, "9"}, exitError, rules},
		{[]string{"show", dir, "5"}, exitError, damage},
		{[]string{"show", dir, "11"}, exitError, "the run has no game 11: it holds games 0 to 15"},
		{[]string{"verify", dir}, exitError, rules},
		{[]string{"verify", dir}, exitError, damage},
		{[]string{"verify", dir}, exitError, "games 11 to 12 are missing"},
		{[]string{"verify", dir}, exitError, "12 games intact, 7 files read, 3 problems\n"},
		{[]string{"stats", dir}, exitOK, "13 games with "},
		{[]string{"stats", dir}, exitOK, "worker remote: 1 game\n"},
		{[]string{"stats", dir}, exitOK, "damaged: 1, missing or unfinished: 3\n"},
		{[]string{"export", dir, "--text", filepath.Join(t.TempDir(), "text")}, exitOK, "text: 12 games\n"},
		{[]string{"repair", dir}, exitOK, "games 11 to 12 are missing\n" + dir + ": 13 games saved\n"},
		{[]string{"verify", dir}, exitError, "12 games intact, 7 files read, 3 problems\n"},
	} {
		code, out, errOut := cli(t.Context(), strings.NewReader(""), append([]string{"replay"}, c.args...)...)
		if code != c.code || !strings.Contains(out+errOut, c.want) {
			t.Errorf("replay %v: exit status %d, want %d and %q\n%s%s", c.args, code, c.code, c.want, out, errOut)
		}
	}
	execSQL(t, dir, "DELETE FROM games WHERE number = 9") // nothing but verify asks whether games keep the rules
	mustCLI(t, "train", "--run", whole, "--set", "train.iterations=3")
	code, out, errOut := cli(t.Context(), nil, "train", "--run", dir, "--set", "train.iterations=3")
	if code != exitOK || !strings.Contains(errOut, "4 games from 5 to 12 are lost: their models play them again") {
		t.Errorf("exit status %d\n%s%s", code, out, errOut)
	}
	compareModels(t, whole, dir)
}

// A run that another process trains is read all the same; only repair wants it to rest.
func TestReplayInUse(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	p := start(t, "train", "--config", tiny, "--run", dir, "--set", "train.iterations=1000000")
	p.readUntil(t, strings.TrimPrefix(firstRow, "\n"))
	for _, args := range [][]string{
		{"stats", dir}, {"verify", dir}, {"show", dir, "3"}, {"export", dir, "--text", filepath.Join(t.TempDir(), "text")},
	} {
		mustCLI(t, append([]string{"replay"}, args...)...)
	}
	if code, _, errOut := cli(t.Context(), nil, "replay", "repair", dir); code != exitError || !strings.Contains(errOut, "stop it first") {
		t.Errorf("repair: exit status %d: %s", code, errOut)
	}
	if code, out := p.interrupt(t); code != exitOK || p.errOut.Len() > 0 {
		t.Errorf("exit status %d\n%s%s", code, out, &p.errOut)
	}
	mustCLI(t, "replay", "verify", dir)
}

func TestStatsText(t *testing.T) {
	s := &replay.Summary{
		Games: 5, Positions: 20, Searches: 25, Simulations: 250, Oldest: 5, Newest: 12,
		Results: map[string]int{"first": 2, "draw": 2, "second": 1},
		Lengths: replay.Lengths{Mean: 6, Shortest: 4, P10: 4, Median: 6, P90: 9, Longest: 9},
		Workers: map[string]int{"a": 4, "b": 1},
		Damaged: 1, Missing: 3,
		Models: []*replay.ModelGames{{Model: 1, Games: 1, Oldest: 6, Newest: 6}, {Model: 2, Games: 2, Oldest: 5, Newest: 7}, {Model: 3, Games: 2, Oldest: 8, Newest: 12}},
	}
	const text = `5 games with 20 positions, numbers 5 to 12
searches: 25, mean of 10.0 simulations
results: first 2 (40.0 %), draw 2 (40.0 %), second 1 (20.0 %)
moves: 4 to 9, mean 6.0, median 6; a tenth has at most 4, nine tenths 9
worker a: 4 games
worker b: 1 game
damaged: 1, missing or unfinished: 3
   model    games     oldest     newest
       1        1          6          6
       2        2          5          7
       3        2          8         12
`
	if got := statsText(s); got != text {
		t.Errorf("%s, want\n%s", got, text)
	}
	if got := statsText(&replay.Summary{}); !strings.HasPrefix(got, "0 games with 0 positions, numbers 0 to 0\n") {
		t.Errorf("without games: %s", got)
	}
}

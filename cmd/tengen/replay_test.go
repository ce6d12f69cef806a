package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"tengen/game"
	"tengen/replay"
)

// tinyRun trains the tiny run and returns its directory.
func tinyRun(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	mustCLI(t, "train", "--config", tiny, "--run", dir)
	return dir
}

func TestLogStats(t *testing.T) {
	entry := func(sequence uint64, worker string, model uint64, moves int, outcome int8) replay.Entry {
		g := &replay.Record{Model: model, Moves: make([]game.Action, moves), Outcome: outcome, ResignPly: -1, Opening: 1}
		for range moves - 1 {
			g.AppendSearch([]float32{1}, 0, 10, replay.FullWeight)
		}
		g.Weights[0] = 0
		return replay.Entry{Sequence: sequence, Worker: worker, Game: g}
	}
	entries := []replay.Entry{
		entry(5, "a", 2, 4, 1), entry(6, "b", 1, 6, -1), entry(7, "a", 2, 9, 1), entry(8, "a", 3, 5, 0),
		{Sequence: 9, Err: fmt.Errorf("9: %w", replay.ErrDuplicate)},
		{Sequence: 10, Err: fmt.Errorf("10: %w", replay.ErrDamaged)},
		{Sequence: 11, Err: fmt.Errorf("11: %w", replay.ErrMissing)},
	}
	entries[0].Game.Resigned, entries[0].Game.ResignPly = true, 4
	entries[1].Game.PlayedOn, entries[1].Game.ResignPly = true, 3 // second, which wins
	entries[2].Game.PlayedOn, entries[2].Game.ResignPly = true, 3 // second, which loses
	s := newLogStats()
	for _, e := range entries {
		if err := s.add(e); err != nil {
			t.Fatal(err)
		}
	}
	s.finish()
	s.byModel, s.byLength = nil, nil
	want := &logStats{
		Games: 4, Positions: 16, Searches: 20, Simulations: 200, Oldest: 5, Newest: 11,
		Results:      map[string]int{"first": 2, "draw": 1, "second": 1},
		Lengths:      lengthStats{Mean: 6, Shortest: 4, P10: 4, Median: 5, P90: 9, Longest: 9},
		Resignations: resignations{Resigned: 1, PlayedOn: 2, Tested: 2, False: 1},
		Workers:      map[string]int{"a": 3, "b": 1},
		Duplicates:   1, Damaged: 1, Missing: 1,
		Models: []*modelStats{{1, 1, 6, 6}, {2, 2, 5, 7}, {3, 1, 8, 8}},
	}
	if !reflect.DeepEqual(s, want) {
		t.Errorf("%+v, want\n%+v", s, want)
	}
}

// Games of other workers are told apart, a game that came twice counts once, and one against the rules is found out.
func TestReplayOfSeveralWorkers(t *testing.T) {
	dir := tinyRun(t)
	log, err := openLog(t.Context(), dir, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	var games []*replay.Record
	read := log.Read(t.Context(), 0, func(e replay.Entry) error {
		games = append(games, e.Game)
		return nil
	})
	illegal := *games[1]
	illegal.Number, illegal.Moves = 100, slices.Clone(illegal.Moves)
	illegal.Moves[1] = illegal.Moves[0]
	_, remote := log.Append(t.Context(), "remote", games[0])
	_, strange := log.Append(t.Context(), "remote", &illegal)
	if err := errors.Join(read, remote, strange, sendAgain(t.Context(), log), log.Close()); err != nil {
		t.Fatal(err)
	}
	number := strconv.FormatUint(games[0].Number, 10)
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"show", dir, number}, exitUsage, "choose with --worker, or among #1 of worker local, #17 of worker remote"},
		{[]string{"show", dir, number, "--worker", "remote"}, exitOK, "sequence number 17, worker remote"},
		{[]string{"show", dir, "#1"}, exitOK, "game " + number + " of tictactoe, sequence number 1, worker local"},
		{[]string{"show", dir, "100"}, exitError, "sequence number 18: game 100 is not a valid record of tictactoe: move 2"},
		{[]string{"verify", dir}, exitError, "sequence number 18: game 100 is not a valid record of tictactoe: move 2"},
		{[]string{"verify", dir}, exitError, "17 games intact, 7 files read, 1 problem\n"},
		{[]string{"stats", dir}, exitOK, "worker remote: 2 games\n"},
		{[]string{"stats", dir}, exitOK, "duplicates: 1, damaged: 0, missing: 0\n"},
		{[]string{"show", dir, "#19"}, exitError, "this game came before, as 1"},
		{[]string{"export", dir, "--text", filepath.Join(t.TempDir(), "text")}, exitOK, "text: 17 games\n"},
	} {
		code, out, errOut := cli(t.Context(), strings.NewReader(""), append([]string{"replay"}, c.args...)...)
		if code != c.code || !strings.Contains(out+errOut, c.want) {
			t.Errorf("replay %v: exit status %d\n%s%s", c.args, code, out, errOut)
		}
	}
}

// sendAgain appends the first game of a log once more, unnoticed by the server.
func sendAgain(ctx context.Context, log *gameLog) error {
	js, err := jetstream.New(log.conn)
	if err != nil {
		return err
	}
	stream, err := js.Stream(ctx, "games-"+log.run)
	if err != nil {
		return err
	}
	first, err := stream.GetMsg(ctx, 1)
	if err != nil {
		return err
	}
	_, err = js.Publish(ctx, first.Subject, first.Data)
	return err
}

// A directory in which somebody trains is left alone.
func TestReplayInUse(t *testing.T) {
	dir := tinyRun(t)
	log, err := openLog(t.Context(), dir, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	code, _, errOut := cli(t.Context(), strings.NewReader(""), "replay", "verify", dir)
	if code != exitError || !strings.Contains(errOut, filepath.Join(dir, gamesFolder)+": stop it first") {
		t.Errorf("exit status %d: %s", code, errOut)
	}
}

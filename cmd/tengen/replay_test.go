package main

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"tengen/cluster/natslog"
	"tengen/engine"
	"tengen/replay"
)

// tinyRun trains the tiny run and returns its directory.
func tinyRun(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	mustCLI(t, "train", "--config", tiny, "--run", dir)
	return dir
}

// Games of other workers are told apart, a game that came twice counts once, and one against the rules is found out.
func TestReplayOfSeveralWorkers(t *testing.T) {
	dir := tinyRun(t)
	log := openLog(t, dir)
	var games []*replay.Record
	err := log.Read(t.Context(), 0, func(e replay.Entry) error {
		games = append(games, e.Game)
		return nil
	})
	illegal := *games[1]
	illegal.Number, illegal.Moves = 100, slices.Clone(illegal.Moves)
	illegal.Moves[1] = illegal.Moves[0]
	_, remote := log.Append(t.Context(), "remote", games[0])
	_, strange := log.Append(t.Context(), "remote", &illegal)
	if err := errors.Join(err, remote, strange, sendAgain(t.Context(), log), log.Close()); err != nil {
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

// What a worker has sent that is no game is told of, and is no fault of the run.
func TestReplayVerifyOfGarbage(t *testing.T) {
	dir := tinyRun(t)
	log := openLog(t, dir)
	js, err := jetstream.New(log.conn)
	if err != nil {
		t.Fatal(err)
	}
	subject, err := natslog.GameSubject(engine.EmbeddedRun, "gpu-1")
	if err == nil {
		_, err = js.Publish(t.Context(), subject, []byte("garbage"))
	}
	if err := errors.Join(err, log.Close()); err != nil {
		t.Fatal(err)
	}
	out := mustCLI(t, "replay", "verify", dir)
	if !strings.HasPrefix(out, "worker gpu-1 has sent 1 message that no game is in") || !strings.HasSuffix(out, "16 games intact, 7 files read, 0 problems\n") {
		t.Error(out)
	}
	if out := mustCLI(t, "replay", "verify", dir, "--json"); !strings.Contains(out, `"gpu-1": 1`) {
		t.Error(out)
	}
}

// sendAgain appends the first game of a log once more, unnoticed by the server.
func sendAgain(ctx context.Context, log *testLog) error {
	js, err := jetstream.New(log.conn)
	if err != nil {
		return err
	}
	stream, err := js.Stream(ctx, "games-"+engine.EmbeddedRun)
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
	log := openLog(t, dir)
	defer log.Close()
	code, _, errOut := cli(t.Context(), strings.NewReader(""), "replay", "verify", dir)
	if code != exitError || !strings.Contains(errOut, filepath.Join(dir, "games")+": stop it first") {
		t.Errorf("exit status %d: %s", code, errOut)
	}
}

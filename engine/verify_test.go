package engine

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"tengen/cluster/natslog"
)

// sendGarbage puts messages that are no games into the log of the run in a directory, as a worker could.
func sendGarbage(t *testing.T, dir, worker string, messages ...string) {
	t.Helper()
	s, err := natslog.StartServer(natslog.ServerConfig{Dir: filepath.Join(dir, gamesFolder)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	conn, err := s.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	subject, err := natslog.GameSubject(EmbeddedRun, worker)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range messages {
		if _, err := js.Publish(t.Context(), subject, []byte(m)); err != nil {
			t.Fatal(err)
		}
	}
}

// trainWithWorkers trains a run that workers may join, with its own only.
func trainWithWorkers(t *testing.T, dir string, iterations int) {
	t.Helper()
	cfg := tinyConfig()
	cfg.Cluster.Listen, cfg.Cluster.MaxBacklog, cfg.Train.Iterations = "127.0.0.1:0", 0, iterations
	run, err := open(t, "tictactoe").Train(t.Context(), TrainConfig{Config: cfg, Dir: dir})
	if err == nil {
		err = errors.Join(run.Run(t.Context()), run.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// What workers have sent that is no game is counted and no defect, whether the run has passed over it or has not come to it yet. A game
// that is lost is one.
func TestVerifyTellsGarbageFromDamage(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	trainWithWorkers(t, dir, 1)
	sendGarbage(t, dir, "gpu-1", "garbage", "", "more garbage")
	trainWithWorkers(t, dir, 2)
	sendGarbage(t, dir, "laptop-2", "garbage")
	v, err := VerifyRun(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if want := map[string]int{"gpu-1": 3, "laptop-2": 1}; len(v.Problems) > 0 || !maps.Equal(v.NoGames, want) {
		t.Errorf("%+v, want no problem and %v", v, want)
	}
	if text := v.Text("run"); !strings.Contains(text, "worker gpu-1 has sent 3 messages that no game is in") || !strings.HasSuffix(text, " 0 problems\n") {
		t.Error(text)
	}
	spoilGame(t, dir)
	if v, err = VerifyRun(t.Context(), dir); err != nil || len(v.Problems) != 2 || len(v.NoGames) != 2 {
		t.Errorf("after a game was damaged: %+v, %v; want what was taken out, and the game that is lost", v, err)
	}
}

// Garbage in the place of a game that the checkpoint needs is a defect, whoever has sent it.
func TestVerifyMissesWhatTheCheckpointNeeds(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	trainWithWorkers(t, dir, 1)
	other := filepath.Join(t.TempDir(), "run")
	if err := os.CopyFS(other, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	sendGarbage(t, other, "gpu-1", "garbage")
	trainWithWorkers(t, dir, 2)
	err := errors.Join(os.RemoveAll(filepath.Join(dir, gamesFolder)), os.CopyFS(filepath.Join(dir, gamesFolder), os.DirFS(filepath.Join(other, gamesFolder))))
	if err != nil {
		t.Fatal(err)
	}
	v, err := VerifyRun(t.Context(), dir)
	if err != nil || len(v.NoGames) > 0 || len(v.Problems) != 1 || !strings.Contains(v.Problems[0].Text, "worker gpu-1 has sent it") {
		t.Errorf("%+v, %v", v, err)
	}
}

// spoilGame changes a byte of the first game in the files of a run.
func spoilGame(t *testing.T, dir string) {
	t.Helper()
	file := filepath.Join(dir, gamesFolder, "jetstream", "$G", "streams", "games-"+EmbeddedRun, "msgs", "1.blk")
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	content[100]++
	if err := os.WriteFile(file, content, 0o644); err != nil {
		t.Fatal(err)
	}
}

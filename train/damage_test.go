package train

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tengen/internal/fulltest"
	"tengen/net"
	"tengen/train/checkpoint"
)

// halfway is the directory of a run that was killed in its fourth and last iteration, with two of its games finished, and
// what the run comes to when it continues undisturbed.
func halfway(t *testing.T) (path string, want map[string]string) {
	t.Helper()
	path = t.TempDir()
	r := longRun()
	games := countdown(11)
	r.player.fail = func(uint64) error { return games() }
	if err := r.in(t, path); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	whole := t.TempDir()
	noError(t, longRun().in(t, whole))
	return path, contents(t, whole)
}

func longRun() *run {
	r := newRun()
	r.cfg.Iterations = 4
	return r
}

// copied is a copy of a directory.
func copied(t *testing.T, path string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	noError(t, os.CopyFS(to, os.DirFS(path)))
	return to
}

// One flipped bit anywhere in a run directory harms nothing that it is not in: the run continues, and comes to what it would
// have come to. Damaged games are played again.
func TestFlippedBit(t *testing.T) {
	flips := fulltest.Pick(24, 208) // at least one in each file
	path, want := halfway(t)
	var files []string
	for name := range contents(t, path) {
		files = append(files, name)
	}
	games, err := filepath.Glob(filepath.Join(path, gamesFolder, "*"))
	noError(t, err)
	for _, file := range games {
		files = append(files, gamesFolder+"/"+filepath.Base(file))
	}
	slices.Sort(files) // so that each has the same flips in every run
	rng := rand.New(rand.NewPCG(7, 7))
	for i := range flips {
		file, at := files[i%len(files)], rng.Uint64()
		t.Run(fmt.Sprintf("%s/%d", file, i), func(t *testing.T) {
			t.Parallel()
			path := copied(t, path)
			flip(t, filepath.Join(path, file), at)
			r := longRun()
			noError(t, r.in(t, path))
			warned := strings.Contains(strings.Join(r.warnings, "\n"), filepath.Base(file))
			got := contents(t, path)
			for name := range want {
				switch {
				case got[name] == want[name]:
				case name != file:
					t.Errorf("%s differs from the undisturbed run's, warnings %q", name, r.warnings)
				case !warned && !strings.HasPrefix(name, "model-"): // old models are not the run's business any more
					t.Errorf("it goes on with a damaged %s and does not say so", file)
				}
			}
			if needed := strings.HasPrefix(file, stateFolder) || strings.HasPrefix(file, gamesFolder) && file >= gamesFolder+"/000002"; needed && !warned {
				t.Errorf("no warning: %q", r.warnings)
			}
		})
	}
}

// flip changes one bit of a file.
func flip(t *testing.T, file string, at uint64) {
	t.Helper()
	content, err := os.ReadFile(file)
	noError(t, err)
	content[at/8%uint64(len(content))] ^= 1 << (at % 8)
	noError(t, os.WriteFile(file, content, 0o644))
}

// Games that are lost are played again by their models. Where a model is gone, the run continues without its games, and is as repeatable
// from there as any.
func TestResumeWithoutGames(t *testing.T) {
	path, want := halfway(t)
	log := folderLog{path: filepath.Join(path, gamesFolder)}
	for _, number := range []uint64{4, 5, 7} { // of two iterations, with two models
		remove(t, log.file(number), "")
	}
	lost := copied(t, path)
	r := longRun()
	if err := r.in(t, path); err != nil || len(r.warnings) != 1 || !strings.Contains(r.warnings[0], "3 games from 4 to 7 are lost") {
		t.Fatalf("error %v, warnings %q", err, r.warnings)
	}
	wantSame(t, path, want)

	remove(t, lost, checkpoint.ModelName(2))
	again := copied(t, lost)
	longer := func() *run {
		r := longRun()
		r.cfg.Iterations = 6
		return r
	}
	r = longer()
	if err := r.in(t, lost); err != nil || !strings.Contains(r.warnings[len(r.warnings)-1], "1 of the 7 games of the window are lost") {
		t.Fatalf("error %v, warnings %q", err, r.warnings)
	}
	killed := longer()
	fail := countdown(5) // two games again, the rest of an iteration and two games of the next, whose window has the gap
	killed.player.fail = func(uint64) error { return fail() }
	if err := killed.in(t, again); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	resumed := longer()
	if err := resumed.in(t, again); err != nil || len(resumed.warnings) > 0 {
		t.Errorf("error %v, warnings %q", err, resumed.warnings)
	}
	wantSame(t, again, contents(t, lost))
}

// If the newest checkpoint is damaged and games before it are lost for ever, its model comes out otherwise. The games that the
// first one has played go.
func TestGamesOfALostModelAreForgotten(t *testing.T) {
	path, _ := halfway(t)
	flip(t, filepath.Join(path, "state/checkpoint-00000003.safetensors"), 12345)
	log := &folderLog{path: filepath.Join(path, gamesFolder)}
	remove(t, log.file(4), "")
	remove(t, path, checkpoint.ModelName(0)) // that played it
	before, err := net.LoadModel(filepath.Join(path, checkpoint.ModelName(3)))
	noError(t, err)
	noError(t, longRun().in(t, path))
	after, err := net.LoadModel(filepath.Join(path, checkpoint.ModelName(3)))
	if err != nil || fingerprint(after.Weights) == fingerprint(before.Weights) {
		t.Fatalf("the model is the same without the game; %v", err)
	}
	for _, e := range log.entries(t) {
		if e.Game.Model == 3 && !reflect.DeepEqual(e.Game, fakeGame(e.Number, 3, fingerprint(after.Weights))) {
			t.Errorf("game %d was played by the model before", e.Number)
		}
	}
}

func remove(t *testing.T, path, name string) {
	t.Helper()
	noError(t, os.RemoveAll(filepath.Join(path, name)))
}

// The checkpoint before the newest is good for a run with few models, too.
func TestOlderCheckpoint(t *testing.T) {
	path := t.TempDir()
	short := func() *run {
		r := longRun()
		r.cfg.Keep = 1
		return r
	}
	noError(t, short().in(t, path))
	want := contents(t, path)
	flip(t, filepath.Join(path, "state/checkpoint-00000004.safetensors"), 12345)
	r := short()
	noError(t, r.in(t, path))
	wantSame(t, path, want)
	if len(r.warnings) != 1 || !strings.Contains(r.warnings[0], "the run continues from the checkpoint of iteration 3") {
		t.Errorf("warnings %q", r.warnings)
	}
	if len(r.player.played) > 0 {
		t.Errorf("games %v were played again", r.player.played)
	}
}

// The log keeps the newest games, and what the windows of two checkpoints need: 60 positions of 5 to 9 in a game, and the
// three games of an iteration.
func TestOldGamesGo(t *testing.T) {
	for keep, want := range map[int]struct{ least, most int }{0: {48, 48}, 1: {60/9 + 3, 60/5 + 3}, 20: {20, 20}} {
		path := t.TempDir()
		r := newRun()
		r.cfg.Iterations, r.keep = 16, keep
		noError(t, r.in(t, path))
		games, err := filepath.Glob(filepath.Join(path, gamesFolder, "*"))
		if err != nil || len(games) < want.least || len(games) > want.most {
			t.Errorf("keep %d: the log has %d games, want %v (%v)", keep, len(games), want, err)
		}
		r.cfg.Iterations++
		if err := r.in(t, path); err != nil || len(r.warnings) > 0 {
			t.Errorf("keep %d: %v, warnings %q", keep, err, r.warnings)
		}
	}
}

package checkpoint

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"tengen/internal/files"
)

func TestDirIsHeldByOne(t *testing.T) {
	path := t.TempDir()
	open := func() (*Dir, error) { return Open(path, nil, anyRun) }
	first, err := open()
	noError(t, err)
	_, err = open()
	wantError(t, err, fmt.Sprintf("in use by process %d", os.Getpid()))
	rewrite(t, layout(path).file(LockFile), "") // the other has not written its number yet
	_, err = open()
	wantError(t, err, "in use by another process")
	if !Held(path) {
		t.Error("nobody seems to hold the lock")
	}
	noError(t, first.Close())
	if Held(path) || Held(t.TempDir()) {
		t.Error("somebody seems to hold the lock")
	}
	second, err := open()
	noError(t, err)
	second.Close()
	unlock, _, err := files.Share(layout(path).file(LockFile))
	noError(t, err)
	_, err = open()
	wantError(t, err, "in use by a command that reads it")
	noError(t, unlock())
}

// A folder of checkpoints that is a link is refused.
func TestStateIsALink(t *testing.T) {
	path, elsewhere := testRun(t), filepath.Join(t.TempDir(), stateFolder)
	state := filepath.Join(path, stateFolder)
	if err := errors.Join(os.Rename(state, elsewhere), os.Symlink(elsewhere, state)); err != nil {
		t.Skip(err)
	}
	wantError(t, (&process{iterations: 4, config: "a: 1\n"}).in(path), "state is a link")
}

// Whoever looks at the lock does not keep training from starting.
func TestHeldDoesNotDisturb(t *testing.T) {
	path := t.TempDir()
	done, looked := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(looked)
		for {
			select {
			case <-done:
				return
			default:
				Held(path)
				time.Sleep(time.Millisecond) // as somebody who looks again and again
			}
		}
	}()
	for range 200 {
		d, err := Open(path, nil, anyRun)
		if err != nil {
			t.Error(err)
			break
		}
		d.Close()
	}
	close(done)
	<-looked
}

// A run that has begun continues only with settings that are compatible with run.yaml, which a rejection leaves alone.
func TestDirKeepsTheSettings(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "run")
	noError(t, (&process{iterations: 3, config: "a"}).in(path))
	file := filepath.Join(path, ConfigFile)
	open := func(settings string, rejection error) error {
		d, err := Open(path, []byte(settings), func(saved []byte, newest *Checkpoint) error {
			if string(saved) != "a" || newest == nil || newest.Iteration != 3 || newest.Settings["game"] != "tictactoe" {
				t.Errorf("the saved settings are %q, want a; the checkpoint is %+v", saved, newest)
			}
			return rejection
		})
		if err == nil {
			newest, _ := d.Newest()
			_, err = d.Restore(newest, testModel(newest.Published), 0)
			err = errors.Join(err, d.Close())
		}
		return err
	}
	for _, test := range []struct {
		rejection error
		want      string
	}{{errors.New("not b"), "a"}, {nil, "b"}} {
		if err := open("b", test.rejection); err != test.rejection {
			t.Errorf("error %v, want %v", err, test.rejection)
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != test.want {
			t.Errorf("%s holds %q, want %q (%v)", file, got, test.want, err)
		}
	}
	noError(t, os.Remove(file))
	wantError(t, open("b", nil), "has lost its settings")
}

// A directory with settings is a run even before its first checkpoint: Open asks whether they fit, and leaves them and
// everything else alone until the first commit.
func TestSettingsWithoutCheckpoint(t *testing.T) {
	path := t.TempDir()
	rewrite(t, layout(path).file(ConfigFile), "a")
	if !IsRun(path) {
		t.Error("a directory with settings is no run")
	}
	rejection := errors.New("not b")
	_, err := Open(path, []byte("b"), func(saved []byte, newest *Checkpoint) error {
		if string(saved) != "a" || newest != nil {
			t.Errorf("the saved settings are %q, want a; the checkpoint is %+v, want none", saved, newest)
		}
		return rejection
	})
	if err != rejection {
		t.Errorf("error %v, want %v", err, rejection)
	}
	d, err := Open(path, []byte("b"), anyRun)
	noError(t, err)
	defer d.Close()
	if saved, err := ReadConfig(path); string(saved) != "a" {
		t.Errorf("opened, it has the settings %q, want a (%v)", saved, err)
	}
	noError(t, d.Commit(beginning(), testModel(Published{}), nil, 0))
	if saved, err := ReadConfig(path); string(saved) != "b" {
		t.Errorf("begun, it has the settings %q, want b (%v)", saved, err)
	}
}

// A new run never overwrites the models or metrics of one whose checkpoints are gone.
func TestWithoutCheckpoints(t *testing.T) {
	for name, gone := range map[string]string{"models": metricsFile, metricsFile: "model-*.safetensors"} {
		path := filepath.Join(t.TempDir(), "run")
		noError(t, (&process{iterations: 3, config: "a"}).in(path))
		lost, err := filepath.Glob(layout(path).file(gone))
		noError(t, err)
		for _, file := range append(lost, layout(path).file(stateFolder), layout(path).file(ConfigFile)) {
			noError(t, os.RemoveAll(file))
		}
		_, err = Open(path, []byte("b"), anyRun)
		wantError(t, err, "holds "+name)
		wantError(t, err, "but no checkpoint in state; restore it from a copy")
	}
}

// Models of the run are told from other opponents by their names.
func TestIsModelName(t *testing.T) {
	for name, want := range map[string]bool{
		ModelName(7): true, "model-00000007.safetensors": true,
		"uct:1000": false, "net:" + ModelName(7): false, "runs/" + ModelName(7): false, "model-7.safetensors": false, "": false,
	} {
		if IsModelName(name) != want {
			t.Errorf("IsModelName(%q) is %v", name, !want)
		}
	}
}

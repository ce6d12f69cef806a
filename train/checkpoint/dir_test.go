package checkpoint

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func TestDirIsHeldByOne(t *testing.T) {
	path := t.TempDir()
	open := func() (*Dir, error) { return Open(path, nil, func([]byte) error { return nil }) }
	first, err := open()
	if err != nil {
		t.Fatal(err)
	}
	_, err = open()
	wantError(t, err, fmt.Sprintf("in use by process %d", os.Getpid()))
	rewrite(t, layout(path).file(LockFile), "") // the other has not written its number yet
	_, err = open()
	wantError(t, err, "in use by another process")
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second, err := open()
	if err != nil {
		t.Fatal(err)
	}
	second.Close()
}

// A run that has begun continues only with settings that are compatible with run.yaml, which a rejection leaves alone.
func TestDirKeepsTheSettings(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "run")
	if err := (&process{iterations: 3, config: "a"}).in(path); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(path, ConfigFile)
	open := func(settings string, rejection error) error {
		d, err := Open(path, []byte(settings), func(saved []byte) error {
			if string(saved) != "a" {
				t.Errorf("the saved settings are %q, want a", saved)
			}
			return rejection
		})
		if err == nil {
			d.Close()
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
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	wantError(t, open("b", nil), "has lost its settings")
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

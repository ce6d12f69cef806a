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

// The configuration of the run so far is that of its newest checkpoint, whatever somebody writes into config.yaml.
func TestDirKeepsTheConfiguration(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "run")
	if err := (&process{iterations: 3, config: "a"}).in(path); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(path, "config.yaml")
	rewrite(t, file, "edited")
	open := func(config string, compatible func([]byte) error) error {
		d, err := Open(path, []byte(config), compatible)
		if err == nil {
			d.Close()
		}
		return err
	}
	written := func(want string) {
		t.Helper()
		if got, err := os.ReadFile(file); err != nil || string(got) != want {
			t.Errorf("config.yaml holds %q, want %q (%v)", got, want, err)
		}
	}
	wantError(t, open("b", func(saved []byte) error { return fmt.Errorf("%q is not b", saved) }), `"a" is not b`)
	written("edited")
	if err := open("b", func([]byte) error { return nil }); err != nil {
		t.Error(err)
	}
	written("b")
	if err := open("a", func([]byte) error { return errors.New("asked for no reason") }); err != nil {
		t.Error(err)
	}
	written("a")

	// The next checkpoint has the configuration that the run went on with.
	if err := (&process{iterations: 4, config: "c"}).in(path); err != nil {
		t.Fatal(err)
	}
	wantError(t, open("b", func(saved []byte) error { return fmt.Errorf("%q is not b", saved) }), `"c" is not b`)
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

package checkpoint

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// Verify names the files that are not intact and no other, and changes nothing.
func TestVerify(t *testing.T) {
	whole := testRun(t)
	const checkpoint, newest = "state/checkpoint-00000002.safetensors", "state/checkpoint-00000003.safetensors"
	for name, c := range map[string]struct {
		damage func(t *testing.T, path string)
		want   map[string]string // what is wrong, by file
	}{
		"intact":          {func(*testing.T, string) {}, nil},
		"model":           {func(t *testing.T, path string) { flip(t, filepath.Join(path, ModelName(2)), 9999) }, map[string]string{ModelName(2): "damaged"}},
		"lost model":      {func(t *testing.T, path string) { remove(t, filepath.Join(path, ModelName(3))) }, map[string]string{ModelName(3): "no such file"}},
		"checkpoint":      {func(t *testing.T, path string) { flip(t, filepath.Join(path, checkpoint), 9999) }, map[string]string{checkpoint: "damaged"}},
		"last checkpoint": {func(t *testing.T, path string) { flip(t, filepath.Join(path, newest), 9999) }, map[string]string{newest: "damaged"}},
		"latest": {func(t *testing.T, path string) {
			rewrite(t, filepath.Join(path, latestFile), ModelName(1)+"\n")
		}, map[string]string{latestFile: "does not name " + ModelName(3)}},
		"metrics":      {func(t *testing.T, path string) { rewrite(t, filepath.Join(path, metricsFile), "{}\n") }, map[string]string{metricsFile: "missing or altered"}},
		"lost metrics": {func(t *testing.T, path string) { remove(t, filepath.Join(path, metricsFile)) }, map[string]string{metricsFile: "missing or altered"}},
		"lost checkpoints": {func(t *testing.T, path string) {
			noError(t, os.RemoveAll(filepath.Join(path, stateFolder)))
		}, map[string]string{stateFolder: "but no checkpoint in state"}},
		"wrong model": {func(t *testing.T, path string) {
			noError(t, os.Rename(filepath.Join(path, ModelName(0)), filepath.Join(path, ModelName(2))))
		}, map[string]string{ModelName(2): "is the model of iteration 0"}},
		"model of another run": {func(t *testing.T, path string) {
			saveOther(t, path, 2)
		}, map[string]string{ModelName(2): "is the model of another run"}},
		"wrong checkpoint": {func(t *testing.T, path string) {
			noError(t, os.Rename(filepath.Join(path, checkpoint), filepath.Join(path, newest)))
		}, map[string]string{newest: "is the checkpoint of iteration 2"}},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "copy")
			noError(t, os.CopyFS(path, os.DirFS(whole)))
			c.damage(t, path)
			before := contents(t, path)
			checks, _, err := Verify(path, nil)
			noError(t, err)
			for _, check := range checks {
				name, _ := filepath.Rel(path, check.File)
				name = filepath.ToSlash(name)
				if want := c.want[name]; want != "" {
					wantError(t, check.Err, want)
				} else if check.Err != nil {
					t.Errorf("%s: %v", name, check.Err)
				}
				delete(c.want, name)
			}
			if len(c.want) > 0 {
				t.Errorf("not found: %v", c.want)
			}
			wantSame(t, path, before)
			unlock, err := Lock(path)
			if err != nil {
				t.Fatalf("Verify keeps the directory: %v", err)
			}
			noError(t, unlock())
		})
	}
}

// Whichever part of a commit a kill prevents, the directory is intact: the run writes the rest when it continues.
func TestVerifyAfterAKill(t *testing.T) {
	for n, killed := 0, true; killed; n++ {
		path, parts := t.TempDir(), 0
		err := (&process{iterations: 3, config: "a", interrupt: func(string) error {
			if parts++; parts > n {
				return errors.New("killed")
			}
			return nil
		}}).in(path)
		killed = err != nil
		if !IsRun(path) {
			continue // killed before anything was written
		}
		checks, _, err := Verify(path, nil)
		if err != nil {
			t.Errorf("killed before part %d: %v", n, err)
		}
		for _, check := range checks {
			if check.Err != nil {
				t.Errorf("killed before part %d: %v", n, check.Err)
			}
		}
	}
}

// A directory that holds nothing of a run is not taken for one, whether it is in use or not.
func TestVerifyNoRun(t *testing.T) {
	_, _, err := Verify(filepath.Join(t.TempDir(), "absent"), nil)
	wantError(t, err, "cannot list the run directory")
	path := t.TempDir()
	d, err := Open(path, nil, nil)
	noError(t, err)
	_, _, err = Verify(path, nil)
	wantError(t, err, "not a run directory")
	noError(t, d.Close())
	_, _, err = Verify(path, nil)
	wantError(t, err, "not a run directory")
}

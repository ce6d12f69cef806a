package newgame

import (
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tengen/engine"
	"tengen/run/games"
)

func TestMain(m *testing.M) {
	games.Register()
	os.Exit(m.Run())
}

// read returns the files below a folder.
func read(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		files[filepath.ToSlash(name)] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// A module has all its files, under its own name, and is built with the versions of the source. A folder's name may
// have spaces.
func TestWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "of mine", "hop")
	if err := Write(dir, "hop", ".."); err != nil {
		t.Fatal(err)
	}
	files := read(t, dir)
	const want = "README.md go.mod go.sum hop.yaml main.go rules/rules.go rules/rules_test.go rules/state.go"
	if names := strings.Join(slices.Sorted(maps.Keys(files)), " "); names != want {
		t.Errorf("files %s, want %s", names, want)
	}
	for name, content := range files {
		if strings.Contains(content, templateName) || strings.Contains(content, templatePackage) {
			t.Errorf("%s still has a name of the template:\n%s", name, content)
		}
	}
	if err := CheckModules(t.Context(), dir); err != nil {
		t.Error(err)
	}
	standard := filepath.Join(t.TempDir(), "fmt") // a name in Go's standard library
	if err := errors.Join(Write(standard, "fmt", ".."), CheckModules(t.Context(), standard)); err != nil {
		t.Error(err)
	}
	if sum, err := os.ReadFile("../go.sum"); err != nil || files["go.sum"] != string(sum) {
		t.Errorf("go.sum is not the source's; %v", err)
	}
	t.Setenv("GOMODCACHE", t.TempDir())
	if err := CheckModules(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "disabled by GOPROXY=off") {
		t.Errorf("without modules: %v", err)
	}
	t.Setenv("PATH", "")
	if err := CheckModules(t.Context(), dir); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("without Go: %v", err)
	}
}

func TestRefused(t *testing.T) {
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "thesis.tex"), []byte("ten years"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ dir, name, source, want string }{
		{"new", "Hop", "..", `a game cannot be called "Hop": name it by small letters and digits`},
		{"new", "hop-2", "..", `a game cannot be called "hop-2"`},
		{"new", ".", "..", `a game cannot be called "."`},
		{"new", "2hop", "..", `a game cannot be called "2hop"`},
		{"new", "othello", "..", "othello is taken: choose another name"},
		{"new", "tengen", "..", "tengen is taken"},
		{full, "hop", "..", full + " is not an empty folder: name a new one"},
		{filepath.Join(full, "thesis.tex"), "hop", "..", "thesis.tex is not an empty folder"},
		{"new", "hop", "", "this program does not know where tengen's source is: name a clone of it with --source"},
		{"new", "hop", full, "tengen's source is not in " + full + ": name a clone of it with --source"},
		{"new", "hop", "../examples/games", "tengen's source is not in "}, // another module
	} {
		err := Write(c.dir, c.name, c.source)
		if err == nil || !strings.Contains(err.Error(), c.want) || !errors.As(err, new(engine.InputError)) {
			t.Errorf("%q, %q, %q: error %v; want an InputError with %q", c.dir, c.name, c.source, err, c.want)
		}
	}
	if files := read(t, full); len(files) != 1 || files["thesis.tex"] != "ten years" {
		t.Errorf("the folder that was not empty has %q", files)
	}
	if _, err := os.Stat("new"); err == nil {
		t.Error("a refusal has left a folder")
	}
}

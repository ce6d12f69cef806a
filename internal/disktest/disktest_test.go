package disktest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"tengen/internal/fulltest"
	"tengen/internal/random"
)

func TestMain(m *testing.M) {
	Child()
	if dir := os.Getenv("TENGEN_CHILD"); dir != "" {
		if err := children[os.Getenv("TENGEN_WAY")](dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// children are what a child process may do, by a variable of its environment.
var children = map[string]func(dir string) error{"": writeFiles}

// writeFiles does all that is watched, and prints a word when a file is certain.
func writeFiles(dir string) error {
	sub := filepath.Join(dir, "sub")
	if err := os.Mkdir(sub, 0o755); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(sub, "new"))
	if err != nil {
		return err
	}
	f.WriteString("hello, world")
	f.WriteAt([]byte("HELLO"), 0)
	f.Truncate(5)
	if err := f.Sync(); err != nil {
		return err
	}
	f.Close()
	if err := os.Rename(f.Name(), filepath.Join(sub, "file")); err != nil {
		return err
	}
	for _, folder := range []string{dir, sub} {
		d, err := os.Open(folder)
		if err != nil {
			return err
		}
		if err := d.Sync(); err != nil {
			return err
		}
		d.Close()
	}
	fmt.Println("certain")
	f, err = os.OpenFile(filepath.Join(sub, "file"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	f.WriteString(strings.Repeat("!", 10_000))
	f.Close()
	os.WriteFile(filepath.Join(dir, "other"), []byte("other"), 0o644)
	return os.Remove(filepath.Join(dir, "other"))
}

func watch(t *testing.T, judge func(Call) Verdict, env ...string) (dir, stderr string, err error) {
	t.Helper()
	dir = t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	stderr, err = Run(t, dir, []string{self}, append(env, "TENGEN_CHILD="+dir), judge)
	return dir, stderr, err
}

// Calls are reported in their order with all that they say.
func TestRun(t *testing.T) {
	var calls []string
	_, stderr, err := watch(t, func(c Call) Verdict {
		data := string(c.Data)
		if len(data) > 12 {
			data = fmt.Sprint(len(data))
		}
		calls = append(calls, fmt.Sprintf("%s %s %s %d %s", c.Kind, c.Path, c.To, c.Offset, data))
		return 0
	})
	want := []string{
		"mkdir sub  0 ", "truncate sub/new  0 ", "write sub/new  0 hello, world", "write sub/new  0 HELLO", "truncate sub/new  5 ",
		"sync sub/new  0 ", "rename sub/new sub/file 0 ", "sync .  0 ", "sync sub  0 ", "print   0 certain\n",
		"write sub/file  -1 10000", "truncate other  0 ", "write other  0 other", "remove other  0 ",
	}
	if got := strings.Join(calls, "\n"); err != nil || got != strings.Join(want, "\n") {
		t.Errorf("%v, %s\n%s", err, stderr, got)
	}
}

// A call fails as it is told to.
func TestVerdict(t *testing.T) {
	_, stderr, err := watch(t, func(c Call) Verdict {
		if c.Kind == Rename {
			return syscall.EIO
		}
		return 0
	})
	if err == nil || !strings.Contains(stderr, "input/output error") {
		t.Errorf("%v, %s", err, stderr)
	}
}

// What was synced is there whenever the power goes, and all that may be lost is lost sometimes.
func TestLose(t *testing.T) {
	for name, journalled := range map[string]func(string) bool{"strict": nil, "journalled": func(string) bool { return true }} {
		t.Run(name, func(t *testing.T) {
			var calls []Call
			if _, stderr, err := watch(t, func(c Call) Verdict { calls = append(calls, c); return 0 }); err != nil {
				t.Fatal(stderr, err)
			}
			seen, folder := map[string]bool{}, t.TempDir()
			for round := range fulltest.Pick(150, 400) {
				rng := random.New(1, random.Test, uint64(round))
				d, certain, dir := Disk{Journalled: journalled}, false, filepath.Join(folder, fmt.Sprint(round))
				for _, c := range calls[:rng.IntN(len(calls)+1)] {
					certain = certain || c.Kind == Print
					d.Apply(c)
				}
				if err := d.Lose(rng, dir); err != nil {
					t.Fatal(err)
				}
				file, err := os.ReadFile(filepath.Join(dir, "sub", "file"))
				if certain && !strings.HasPrefix(string(file), "HELLO") {
					t.Fatalf("round %d: the file holds %q, %v", round, file, err)
				}
				_, other := os.Stat(filepath.Join(dir, "other"))
				_, early := os.Stat(filepath.Join(dir, "sub", "new"))
				for what, is := range map[string]bool{
					"nothing": err != nil && !certain, "a file": err == nil, "half": len(file) > 5 && len(file) < 10_005,
					"a hole": strings.Contains(string(file), "\x00"), "all": len(file) == 10_005, "other": other == nil, "old name": early == nil,
				} {
					seen[what] = seen[what] || is
				}
			}
			if len(seen) != 7 {
				t.Errorf("%d kinds", len(seen))
			}
			for what, is := range seen {
				if !is {
					t.Errorf("never seen: %s", what)
				}
			}
		})
	}
}

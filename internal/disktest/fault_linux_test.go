package disktest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

const greeting = "hello, world"

// ways are those in which a child writes. The careless ones take it for granted that a write that does not fail is whole.
var ways = map[string]func(*os.File) error{
	"write":   func(f *os.File) error { _, err := f.WriteString(greeting); return err },
	"writeat": func(f *os.File) error { _, err := f.WriteAt([]byte(greeting), 0); return err },
	"careless write": func(f *os.File) error {
		_, err := unix.Write(int(f.Fd()), []byte(greeting))
		return err
	},
	"careless writeat": func(f *os.File) error {
		_, err := unix.Pwrite(int(f.Fd()), []byte(greeting), 0)
		return err
	},
	"careless vectors": func(f *os.File) error {
		_, err := unix.Writev(int(f.Fd()), [][]byte{[]byte(greeting[:4]), []byte(greeting[4:])})
		return err
	},
	"strict": func(f *os.File) error {
		if n, err := unix.Write(int(f.Fd()), []byte(greeting)); err != nil || n < len(greeting) {
			return fmt.Errorf("%d bytes: %w", n, errors.Join(err, errShort))
		}
		return nil
	},
}

var errShort = errors.New("short write")

func init() {
	for way, write := range ways {
		children[way] = func(dir string) error { return writeGreeting(dir, 0, write) }
		children["append "+way] = func(dir string) error { return writeGreeting(dir, os.O_APPEND, write) }
	}
}

// writeGreeting writes the file of a folder in one of the ways.
func writeGreeting(dir string, mode int, write func(*os.File) error) error {
	f, err := os.OpenFile(filepath.Join(dir, "file"), os.O_WRONLY|os.O_CREATE|mode, 0o644)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		return fmt.Errorf("%s: %w", f.Name(), err)
	}
	return f.Close()
}

// A write that is cut leaves half of its bytes at the right place, and says so: who goes on with the rest gets the whole file.
func TestShort(t *testing.T) {
	half := greeting[:6]
	for way, want := range map[string]string{
		"write": greeting, "writeat": greeting, "append write": greeting,
		"careless write": half, "careless writeat": half, "careless vectors": half, "append careless vectors": half,
	} {
		var writes []string
		dir, stderr, err := watch(t, func(c Call) Verdict {
			if c.Kind != Write {
				return Short // it happens
			}
			writes = append(writes, string(c.Data))
			if len(writes) == 1 {
				return Short
			}
			return 0
		}, "TENGEN_WAY="+way)
		got, _ := os.ReadFile(filepath.Join(dir, "file"))
		if err != nil || string(got) != want || strings.Join(writes, "") != greeting+want[6:] {
			t.Errorf("%s: %v, %s, writes %q, the file holds %q", way, err, stderr, writes, got)
		}
	}
	_, stderr, err := watch(t, func(Call) Verdict { return Short }, "TENGEN_WAY=strict")
	if err == nil || !strings.Contains(stderr, "file: 6 bytes: short write") {
		t.Errorf("%v, %s: want that the number of bytes is told", err, stderr)
	}
}

// Each finds a program that does not look how much of a write was written, and no fault in one that does.
func TestEach(t *testing.T) {
	for way, careful := range map[string]bool{"write": true, "writeat": true, "careless write": false, "careless vectors": false} {
		t.Run(way, func(t *testing.T) {
			met, lost := map[Fault]int{}, map[Fault]int{}
			Each(t, 0, func(judge func(Call) Verdict) { watch(t, judge, "TENGEN_WAY="+way) }, func(t *testing.T, i *Injector) {
				dir, stderr, err := watch(t, i.Judge, "TENGEN_WAY="+way)
				if failed := i.Check(dir, stderr, err); failed != nil {
					t.Error(failed)
				}
				met[i.Fault]++
				if got, _ := os.ReadFile(filepath.Join(dir, "file")); err == nil && string(got) != greeting {
					lost[i.Fault]++
				}
			})
			if want := fmt.Sprint(map[Fault]int{Broken: 2, Full: 2, Cut: 1, CutAtFull: 1}); fmt.Sprint(met) != want {
				t.Errorf("faults %v, want %s", met, want)
			}
			want := map[Fault]int{Cut: 1, CutAtFull: 1}
			if careful {
				want = map[Fault]int{}
			}
			if fmt.Sprint(lost) != fmt.Sprint(want) {
				t.Errorf("the file was not whole, and nobody said so, %v times, want %v", lost, want)
			}
		})
	}
}

// Only an end that names a file that was hit, and says why, is explained.
func TestCheck(t *testing.T) {
	failed := errors.New("exit status 1")
	hit := []Call{{Kind: Write, Path: "run/file"}, {Kind: Create, Path: "run/other"}}
	for _, test := range []struct {
		injector Injector
		text     string
		err      error
		well     bool
	}{
		{Injector{Fault: Full, Hit: hit}, "", nil, true},
		{Injector{Fault: Full, Hit: hit}, "write /dir/run/file: no space left on device", failed, true},
		{Injector{Fault: CutAtFull, Hit: hit}, "open /dir/run/other: no space left on device", failed, true},
		{Injector{Fault: Broken, Hit: hit}, "write /dir/run/file: input/output error", failed, true},
		{Injector{Fault: Broken, Hit: hit}, "write /dir/run/file: no space left on device", failed, false},
		{Injector{Fault: Full, Hit: hit}, "write /dir/run/third: no space left on device", failed, false},
		{Injector{Fault: Full, Hit: hit}, "write /dir/run/file: no space left on device", errors.New("exit status 2"), false},
		{Injector{Fault: Full}, "write /dir/run/file: no space left on device", failed, false},
		{Injector{Fault: Cut, Hit: hit}, "", nil, true},
		{Injector{Fault: Cut, Hit: hit}, "write /dir/run/file: short write", failed, false},
	} {
		if err := test.injector.Check("/dir", test.text, test.err); (err == nil) != test.well {
			t.Errorf("%s, %q, %v: %v", test.injector.Fault, test.text, test.err, err)
		}
	}
}

// The disk stays full from the call that was cut on, and other calls still happen.
func TestInjector(t *testing.T) {
	calls := []Call{
		{Kind: Create}, {Kind: Write, Data: []byte("12")}, {Kind: Write, Data: []byte("1")}, {Kind: Print}, {Kind: Sync},
		{Kind: Write, Data: []byte("12")}, {Kind: Rename}, {Kind: Truncate, Offset: 1}, {Kind: Truncate}, {Kind: Mkdir},
	}
	const eio, full = syscall.EIO, syscall.ENOSPC
	for _, test := range []struct {
		fault Fault
		at    int
		want  []Verdict
	}{
		{Broken, 4, []Verdict{0, 0, 0, 0, eio, 0, 0, 0, 0, 0}},
		{Full, 2, []Verdict{0, full, full, 0, 0, full, 0, 0, full, full}},
		{Cut, 2, []Verdict{0, 0, 0, 0, 0, Short, 0, 0, 0, 0}},
		{CutAtFull, 1, []Verdict{0, Short, full, 0, 0, full, 0, 0, full, full}},
		{CutAtFull, 0, make([]Verdict, 10)},
	} {
		i, got := Injector{Fault: test.fault, At: test.at}, []Verdict{}
		for _, c := range calls {
			got = append(got, i.Judge(c))
		}
		if fmt.Sprint(got) != fmt.Sprint(test.want) {
			t.Errorf("%s at %d: %v, want %v", test.fault, test.at, got, test.want)
		}
	}
}

package modelcache

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tengen/internal/disktest"
)

var acceptance = flag.Bool("acceptance", false, "also fail all calls to the disk, not a sample")

// TestMain runs the tests or, as a child process, a worker's loads.
func TestMain(m *testing.M) {
	disktest.Child()
	dir := os.Getenv("TENGEN_CHILD")
	if dir == "" {
		os.Exit(m.Run())
	}
	if err := loadAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// diskSources are two models, of which a cache of diskLimit bytes holds one.
func diskSources() []*source {
	return []*source{{content: bytes.Repeat([]byte("first"), 1000)}, {content: bytes.Repeat([]byte("second"), 1000)}}
}

const diskLimit = 7000

// loadAll loads the models into a cache, each in two pieces, and the first once more. What the cache cannot do is a warning.
func loadAll(dir string) error {
	c, err := Open(filepath.Join(dir, "cache"), diskLimit, func(err error) { fmt.Fprintln(os.Stderr, "warning:", err) })
	if err != nil {
		return err
	}
	sources := diskSources()
	for _, s := range []*source{sources[0], sources[0], sources[1]} { // the second comes from the cache
		got, err := c.Load(context.Background(), digestOf(s.content), len(s.content), func(int) {}, func(p *Part) error {
			half := max(len(s.content)/2, p.Len())
			p.Write(s.content[p.Len():half])
			p.Write(s.content[half:])
			return nil
		})
		if err != nil {
			return err
		}
		if !bytes.Equal(got, s.content) {
			return errors.New("a model has other bytes")
		}
	}
	return nil
}

// Wherever the disk fails, the models come all the same, the cache says which of its files it could not write, and it holds no model
// that is not whole.
func TestFailingDisk(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	run := func(t *testing.T, judge func(disktest.Call) disktest.Verdict) (dir, stderr string, err error) {
		dir = t.TempDir()
		stderr, err = disktest.Run(t, dir, []string{self}, []string{"TENGEN_CHILD=" + dir}, judge)
		return dir, stderr, err
	}
	most := 3
	if *acceptance {
		most = 0
	}
	disktest.Each(t, most, func(judge func(disktest.Call) disktest.Verdict) {
		if dir, stderr, err := run(t, judge); err != nil || stderr != "" {
			t.Error(err, stderr)
		} else if n := fetchedAgain(t, dir); n != 0 {
			t.Errorf("%d bytes are fetched again", n)
		}
	}, func(t *testing.T, i *disktest.Injector) {
		dir, stderr, err := run(t, i.Judge)
		if failed := i.Check(dir, stderr, err); failed != nil {
			t.Error(failed)
		}
		first := i.Hit[0]
		if err != nil && first.Kind != disktest.Mkdir {
			t.Errorf("after %s of %s no model came: %v, %s", first.Kind, first.Path, err, stderr)
		}
		if first.Kind != disktest.Remove && i.Fault != disktest.Cut && !i.Explained(dir, stderr) {
			t.Errorf("after %s of %s it says %q", first.Kind, first.Path, stderr)
		}
		if strings.Contains(stderr, "damaged") {
			t.Errorf("after %s of %s a model is not whole: %s", first.Kind, first.Path, stderr)
		}
		if n := fetchedAgain(t, dir); i.Fault == disktest.Cut && (n != 0 || stderr != "") {
			t.Errorf("after a write that was cut %d bytes are fetched again: %s", n, stderr)
		}
	})
}

// fetchedAgain loads the last model that loadAll has loaded, and returns how many bytes of it come from elsewhere. It is an error if the
// cache holds one that is damaged.
func fetchedAgain(t *testing.T, dir string) int64 {
	t.Helper()
	c, err := Open(filepath.Join(dir, "cache"), diskLimit, func(err error) {
		if strings.Contains(err.Error(), "damaged") {
			t.Error(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	newest := diskSources()[1]
	load(t, c, newest)
	return newest.fetched.Load()
}

package checkpoint

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"tengen/internal/atomicfile"
	"tengen/internal/fulltest"
)

// A checkpoint is read as it was written.
func TestCheckpoint(t *testing.T) {
	l := layout(testRun(t))
	got, err := l.readCheckpoint(3)
	noError(t, err)
	want := next(next(next(beginning())))
	want.Format, want.History = Format, got.History
	want.Published.SHA256, want.Before.SHA256 = got.Published.SHA256, got.Before.SHA256
	if !reflect.DeepEqual(got, want) || got.History == "" || got.Before.SHA256 == "" {
		t.Errorf("read\n%+v, want\n%+v", got, want)
	}
}

// However a commit ends, the run continues to the same files: at the iteration before until the checkpoint is written, at the
// new one from then on.
func TestCommitCutShort(t *testing.T) {
	want := contents(t, testRun(t))
	parts := []string{"metrics", "checkpoint", "model", "latest", "sweep"}
	for _, last := range parts {
		for _, iteration := range fulltest.Pick([]int{2}, []int{0, 2, 3}) {
			path := t.TempDir()
			cut, commits := errors.New("cut"), 0
			p := &process{iterations: 3, config: "a: 1\n", interrupt: func(part string) error {
				if part == "metrics" {
					commits++
				}
				if part == last && commits == iteration+1 {
					return cut
				}
				return nil
			}}
			if err := p.in(path); !errors.Is(err, cut) {
				t.Fatalf("error %v, want %v", err, cut)
			}
			l := layout(path)
			newest, _, err := l.readNewest()
			committed := last != "metrics" && last != "checkpoint"
			if err != nil || (newest != nil && newest.Iteration == iteration) != committed {
				t.Errorf("cut before the %s of iteration %d, the run is at %+v (%v)", last, iteration, newest, err)
			}
			noError(t, (&process{iterations: 3, config: "a: 1\n"}).in(path))
			wantSame(t, path, want)
		}
	}
}

// The run continues from the checkpoint before when the newest is damaged, and is an error when both are.
func TestDamagedCheckpoint(t *testing.T) {
	path := testRun(t)
	want := contents(t, path)
	flip(t, layout(path).checkpoint(3), 9999)
	p := &process{iterations: 3, config: "a: 1\n"}
	noError(t, p.in(path))
	if len(p.damage) != 1 {
		t.Errorf("damage %v", p.damage)
	}
	wantSame(t, path, want)
	for _, n := range []int{2, 3} {
		flip(t, layout(path).checkpoint(n), 999)
	}
	err := p.in(path)
	wantError(t, err, "checkpoint-00000002.safetensors: it is damaged")
	wantError(t, err, "checkpoint-00000003.safetensors: it is damaged")
	for _, n := range []int{2, 3} {
		remove(t, layout(path).checkpoint(n))
	}
	wantError(t, p.in(path), "holds models up to iteration 3, but no checkpoint")
}

// A run is of the version that its newest intact checkpoint tells: damage is no other version.
func TestCheckVersion(t *testing.T) {
	path := testRun(t)
	for _, dir := range []string{path, t.TempDir()} {
		noError(t, CheckVersion(dir, 1))
	}
	wantError(t, CheckVersion(path, 2), "the run in "+path+" is of another version of tengen (format 5, semantics 1; this one has 5 and 2): "+
		"use the program that made it, or start a new run from its weights with --run and --set train.from="+path+"; its models still play")
	file := layout(path).checkpoint(3)
	content, err := os.ReadFile(file)
	noError(t, err)
	rewrite(t, file, strings.Replace(string(content), `\"format\":5`, `\"format\":6`, 1))
	if err := CheckVersion(path, 1); err != nil {
		t.Errorf("with a damaged checkpoint: %v", err)
	}
}

// Old models go, two checkpoints stay, and so does what is not the run's own.
func TestSweep(t *testing.T) {
	path := testRun(t)
	foreign := []string{"notes.txt", "model-2.safetensors", "state/checkpoint-00000002.safetensors.saved"}
	for _, name := range append(foreign, ".tengen-1234.tmp", "state/.tengen-99.tmp", ModelName(7)) {
		rewrite(t, filepath.Join(path, name), "something else")
	}
	noError(t, (&process{iterations: 5, config: "a: 1\n", keep: 2}).in(path))
	got := contents(t, path)
	for _, name := range append(foreign, ConfigFile, latestFile, metricsFile, ModelName(4), ModelName(5),
		"state/checkpoint-00000004.safetensors", "state/checkpoint-00000005.safetensors") {
		if _, ok := got[name]; !ok {
			t.Errorf("%s is gone", name)
		}
		delete(got, name)
	}
	if len(got) > 0 {
		t.Errorf("left over: %v", names(got))
	}
}

// What others write into the directory during a commit is left to them.
func TestCommitLeavesOthersAlone(t *testing.T) {
	path := testRun(t)
	d, err := Open(path, []byte("a: 1\n"), anyRun)
	noError(t, err)
	defer d.Close()
	c, _ := d.Newest()
	c = next(c)
	err = atomicfile.Write(filepath.Join(path, "workers.json"), 0o600, func(io.Writer) error {
		return d.Commit(c, testModel(c.Published), &Metrics{Iteration: c.Iteration}, 0)
	})
	if err != nil {
		t.Error(err)
	}
}

package kaggle_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tengen/cmd/cli"
	"tengen/doors/kaggle"
	"tengen/engine"
	"tengen/players"
)

func init() { cli.Register() }

// program is the beginning of a program for linux/amd64 that needs no libraries: a header without sections and segments.
var program = append([]byte("\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x3e\x00\x01\x00\x00\x00"), make([]byte, 40)...)

// submission is one of a player, "" for none, with a program of some content.
func submission(t *testing.T, player string, program []byte) kaggle.Submission {
	t.Helper()
	s := kaggle.Submission{Binary: filepath.Join(t.TempDir(), "program")}
	if err := os.WriteFile(s.Binary, program, 0o600); err != nil {
		t.Fatal(err)
	}
	if player == "" {
		return s
	}
	spec, err := players.ParseSpec(player)
	if err != nil {
		t.Fatal(err)
	}
	s.Player = &spec
	return s
}

// An archive has what the agent needs, main.py says who plays and how long, and the same agent is the same archive.
func TestSave(t *testing.T) {
	for _, c := range []struct {
		player string
		files  []string
		lines  []string
	}{
		{"", []string{"main.py"}, []string{`PLAYER = ""  #`, "SIMULATIONS = 0  #", "SECONDS = 1.6  #"}},
		{"net:connect4", []string{"tengen", "model.safetensors", "main.py"}, []string{`PLAYER = "net:model.safetensors"  #`, "SIMULATIONS = 0  #", "SECONDS = 1.6  #"}},
		{"net:connect4-quick:300", []string{"tengen", "model.safetensors", "main.py"}, []string{`PLAYER = "net:model.safetensors:300"  #`, "SIMULATIONS = 300  #"}},
		{"net:connect4-quick:0", []string{"tengen", "model.safetensors", "main.py"}, []string{`PLAYER = "net:model.safetensors:0"  #`, "SIMULATIONS = 0  #"}},
		{"net:connect4-quick:500ms", []string{"tengen", "model.safetensors", "main.py"}, []string{"SIMULATIONS = 0  #", "SECONDS = 0.5  #"}},
		{"uct:1000", []string{"tengen", "main.py"}, []string{`PLAYER = "uct:1000"  #`, "SIMULATIONS = 1000  #", "SECONDS = 1.6  #"}},
		{"alphabeta:9", []string{"tengen", "main.py"}, []string{`PLAYER = "alphabeta:9"  #`, "SIMULATIONS = 0  #"}},
		{"solver", []string{"tengen", "main.py"}, []string{`PLAYER = "solver"  #`}},
	} {
		s := submission(t, c.player, program)
		first, second := save(t, s), save(t, s)
		if !bytes.Equal(first, second) {
			t.Errorf("%q: two archives of one agent are different", c.player)
		}
		var names []string
		for name, content := range contents(t, first) {
			names = append(names, name)
			if name == "tengen" && !bytes.Equal(content, program) {
				t.Errorf("%q: the program is another", c.player)
			}
			for _, line := range c.lines {
				if name == "main.py" && !strings.Contains(string(content), "\n"+line) {
					t.Errorf("%q: main.py has no line %s", c.player, line)
				}
			}
		}
		slices.Sort(names)
		slices.Sort(c.files)
		if !slices.Equal(names, c.files) {
			t.Errorf("%q: files %v, want %v", c.player, names, c.files)
		}
	}
}

// save returns the archive of a submission.
func save(t *testing.T, s kaggle.Submission) []byte {
	t.Helper()
	archive, err := s.Archive()
	if err != nil {
		t.Fatal(err)
	}
	return archive
}

// contents are the files of an archive.
func contents(t *testing.T, archive []byte) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	r, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	for a := tar.NewReader(r); ; {
		h, err := a.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err == nil {
			files[h.Name], err = io.ReadAll(a)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A player that cannot play ConnectX and a program that would not run there are refused, and nothing is written.
func TestSaveRefuses(t *testing.T) {
	arm := slices.Clone(program)
	arm[18] = 0xb7
	bsd := slices.Clone(program)
	bsd[7] = 9
	linked := append(slices.Clone(program), append([]byte{3, 0, 0, 0}, make([]byte, 52)...)...) // with a segment that names a loader
	linked[32], linked[54], linked[56] = 64, 56, 1
	for _, c := range []struct {
		player  string
		program []byte
		want    string
		input   bool
	}{
		{"net:mnk-6x6x4", program, "plays mnk:6,6,4, but ConnectX is connect4", true},
		{"net:nowhere", program, "there is no model file or run directory nowhere", false},
		{"uct:5", []byte("MZ"), "is not a Linux program", true},
		{"uct:5", arm, "it is for EM_AARCH64", true},
		{"uct:5", bsd, "it is for ELFOSABI_FREEBSD", true},
		{"uct:5", linked, "needs shared libraries", true},
	} {
		_, err := submission(t, c.player, c.program).Archive()
		if err == nil || !strings.Contains(err.Error(), c.want) || errors.As(err, new(engine.InputError)) != c.input {
			t.Errorf("%s: %v, want %s", c.player, err, c.want)
		}
	}
}

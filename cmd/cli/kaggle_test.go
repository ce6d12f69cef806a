package cli

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"tengen/internal/fulltest"
)

// An agent in Python alone, and a packed one that is unpacked into a folder of its own and started from another, empty one, play by
// the rules and in time.
func TestAgentsToSubmit(t *testing.T) {
	n, seconds := games()
	pure := unpack(t, "--pure")
	g := connectX(t, filepath.Join(pure, "main.py"), n, seconds, 60)
	if files, err := os.ReadDir(pure); err != nil || len(files) != 1 || g.Asked != 0 {
		t.Errorf("%v, %v, %+v", err, files, g)
	}
	packed := unpack(t, "net:connect4", "--binary", fulltest.Pick(stub, buildStatic)(t))
	file := filepath.Join(packed, "tengen")
	if !fulltest.On { // a build takes long
		self, err := exec.LookPath(program)
		if err = errors.Join(err, os.Remove(file), os.Symlink(self, file)); err != nil {
			t.Fatal(err)
		}
	}
	g = connectX(t, filepath.Join(packed, "main.py"), n, seconds, 60)
	if g.Asked != g.Moves {
		t.Errorf("the program was asked about %d of %d moves", g.Asked, g.Moves)
	}
	network, substitute := g.Players["7x6x4"], g.Players["9x7x5"]
	if !slices.Equal(network, []string{"net:model.safetensors", "alphabeta:1600ms"}) || !slices.Equal(substitute, network[1:]) {
		t.Errorf("players %v", g.Players)
	}
	for name, program := range map[string]string{
		"cannot run":            "no program",
		"ends":                  "#!/bin/sh\nread request\n",
		"dies again and again":  "#!/bin/sh\nread request\necho '{\"id\":\"1\",\"best\":\"4\"}'\n",
		"talks nonsense":        "#!/bin/sh\nwhile read request; do echo nonsense; done\n",
		"does not answer":       "#!/bin/sh\nwhile read request; do :; done\n",
		"finds illegal columns": "#!/bin/sh\nwhile read request; do id=${request#*:}; echo \"{\\\"id\\\":${id%%,*},\\\"best\\\":\\\"1\\\"}\"; done\n",
	} {
		t.Run(name, func(t *testing.T) {
			if err := errors.Join(os.Remove(file), os.WriteFile(file, []byte(program), 0o755)); err != nil {
				t.Fatal(err)
			}
			connectX(t, filepath.Join(packed, "main.py"), 3, seconds, 5)
		})
	}
}

// games is how many are played, 12 if each board has all that differs, and with how many seconds a move: more of both with
// -acceptance.
func games() (n int, seconds float64) {
	if *acceptance {
		return 100, 0.5
	}
	return 12, fulltest.Pick(0.005, 0.1)
}

// played is what testdata/kaggle/connectx.py prints.
type played struct {
	Moves            int
	Slowest          float64 // seconds
	Said             string
	Timeouts         int
	Illegal          []any
	Won, Drawn, Lost int
	Asked            int                 // turns about which the packed program was asked
	Players          map[string][]string // that it can still have, on each board
}

// connectX lets an agent, a main.py, play by Kaggle's rules, and fails if it does not keep to them.
func connectX(t *testing.T, agent string, n int, seconds, overage float64) (p played) {
	t.Helper()
	script, err := filepath.Abs("testdata/kaggle/connectx.py")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), needPython(t), script, agent, fmt.Sprint(n), fmt.Sprint(seconds), fmt.Sprint(overage))
	cmd.Dir = t.TempDir()
	var errOut strings.Builder
	cmd.Stderr = &errOut
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &p)
	}
	if err != nil {
		t.Fatalf("%v\n%s%s", err, out, &errOut)
	}
	if p.Timeouts > 0 || len(p.Illegal) > 0 || p.Said != "" || p.Won+p.Drawn+p.Lost != n {
		t.Errorf("%+v", p)
	}
	t.Logf("%d games: %d won, %d drawn, %d lost; %d moves, the slowest took %.2f seconds", n, p.Won, p.Drawn, p.Lost, p.Moves, p.Slowest)
	return p
}

// unpack writes an agent by tengen export kaggle, and unpacks it.
func unpack(t *testing.T, args ...string) (folder string) {
	t.Helper()
	archive := filepath.Join(t.TempDir(), "submission.tar.gz")
	mustCLI(t, append(append([]string{"export", "kaggle"}, args...), archive)...)
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	content, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	folder = t.TempDir()
	for files := tar.NewReader(content); ; {
		h, err := files.Next()
		if errors.Is(err, io.EOF) {
			return folder
		}
		var file *os.File
		if err == nil {
			file, err = os.OpenFile(filepath.Join(folder, h.Name), os.O_CREATE|os.O_WRONLY, h.FileInfo().Mode())
		}
		if err == nil {
			_, err = io.Copy(file, files)
			err = errors.Join(err, file.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// stub is the header of a program to pack.
func stub(t *testing.T) string {
	t.Helper()
	header := "\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 9) + "\x02\x00\x3e\x00\x01" + strings.Repeat("\x00", 43)
	program := filepath.Join(t.TempDir(), "tengen")
	if err := os.WriteFile(program, []byte(header), 0o600); err != nil {
		t.Fatal(err)
	}
	return program
}

// buildStatic builds tengen as it is to be packed.
func buildStatic(t *testing.T) string {
	t.Helper()
	if platform := runtime.GOOS + "/" + runtime.GOARCH; platform != "linux/amd64" {
		t.Skip("agents run on linux/amd64, this is", platform)
	}
	program := filepath.Join(t.TempDir(), "tengen")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", program, "../tengen")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

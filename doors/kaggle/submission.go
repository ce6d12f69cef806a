// Package kaggle packs agents for ConnectX, Kaggle's competition in Connect Four on boards of any size.
package kaggle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"debug/elf"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"tengen/engine"
	"tengen/players"
	"tengen/run"
)

//go:embed main.py
var mainPy string

// Submission is an agent: a .tar.gz archive with main.py and, for a player of tengen, the program and its model.
type Submission struct {
	Player *players.Spec // nil: main.py searches by itself, in plain Python
	Binary string        // the program tengen for linux/amd64, linked statically; "": the running one
}

const modelName = "model.safetensors"

// mostTime is an agent's most time for a move. Kaggle allows two seconds.
const mostTime = 1600 * time.Millisecond

// Archive returns the archive, identical to the byte for the same player and program. An InputError says why ConnectX
// cannot use the player or the program.
func (s Submission) Archive() ([]byte, error) {
	files, err := s.files()
	if err != nil {
		return nil, err
	}
	var archive bytes.Buffer
	err = pack(&archive, files)
	return archive.Bytes(), err
}

type file struct {
	name    string
	mode    fs.FileMode
	content []byte
}

func (s Submission) files() ([]file, error) {
	if s.Player == nil {
		return []file{{"main.py", 0o644, []byte(mainPy)}}, nil
	}
	program, err := readProgram(s.Binary)
	if err != nil {
		return nil, err
	}
	spec := *s.Player
	files := []file{{"tengen", 0o755, program}}
	if spec.Kind == players.KindNet {
		model, err := readModel(spec)
		if err != nil {
			return nil, err
		}
		files = append(files, file{modelName, 0o644, model})
		spec.Path = modelName
	}
	return append(files, file{"main.py", 0o644, []byte(mainFor(spec))}), nil
}

func readModel(spec players.Spec) ([]byte, error) {
	m, err := run.OpenModel(spec.Path)
	if err != nil {
		return nil, fmt.Errorf("player %q: %w", spec, err)
	}
	if family, _, _ := strings.Cut(m.Game, ":"); family != "connect4" {
		return nil, engine.InputError{Err: fmt.Errorf("player %q plays %s, but ConnectX is connect4: name another model", spec, m.Game)}
	}
	return m.MarshalBinary()
}

// mainFor returns main.py for a player. Kaggle's time limit may cut the player's own limit short.
func mainFor(spec players.Spec) string {
	simulations, seconds := 0, mostTime
	if spec.Kind == players.KindNet || spec.Kind == players.KindUCT {
		simulations = max(0, spec.Limit) // the limit 0, the bare network, is in the SPEC
	}
	if spec.Time > 0 {
		seconds = min(seconds, spec.Time)
	}
	text := mainPy
	for _, constant := range []struct{ name, usual, value string }{
		{"PLAYER", `""`, strconv.QuoteToASCII(spec.String())},
		{"SIMULATIONS", "0", strconv.Itoa(simulations)},
		{"SECONDS", "1.6", strconv.FormatFloat(seconds.Seconds(), 'g', -1, 64)},
	} {
		line := "\n" + constant.name + " = "
		if strings.Count(text, line+constant.usual+" ") != 1 {
			panic("kaggle: main.py does not have exactly one line" + line + constant.usual)
		}
		text = strings.Replace(text, line+constant.usual, line+constant.value, 1)
	}
	return text
}

// readProgram reads the program at path, "" for the running one. It refuses one that Kaggle cannot run.
func readProgram(path string) ([]byte, error) {
	wayOut := "name one with --binary that CGO_ENABLED=0 GOOS=linux GOARCH=amd64 go build ./cmd/tengen has built"
	if path == "" {
		var err error
		if path, err = os.Executable(); err != nil {
			return nil, err
		}
	}
	if err := checkProgram(path); err != nil {
		return nil, engine.InputError{Err: fmt.Errorf("program %s: %w: %s", path, err, wayOut)}
	}
	return os.ReadFile(path)
}

// checkProgram returns an error unless a program is for linux/amd64 and needs no libraries.
func checkProgram(path string) error {
	f, err := elf.Open(path)
	if err != nil {
		return fmt.Errorf("it is not a Linux program: %w", err)
	}
	defer f.Close()
	if f.Machine != elf.EM_X86_64 {
		return fmt.Errorf("it is for %v", f.Machine)
	}
	if f.OSABI != elf.ELFOSABI_NONE && f.OSABI != elf.ELFOSABI_LINUX { // programs for other systems name them
		return fmt.Errorf("it is for %v", f.OSABI)
	}
	if slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }) {
		return errors.New("it needs shared libraries")
	}
	return nil
}

// pack writes an archive without times and owners.
func pack(w io.Writer, files []file) error {
	compressed := gzip.NewWriter(w)
	archive := tar.NewWriter(compressed)
	for _, f := range files {
		header := &tar.Header{Name: f.name, Mode: int64(f.mode), Size: int64(len(f.content)), ModTime: time.Unix(0, 0), Format: tar.FormatUSTAR}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		if _, err := archive.Write(f.content); err != nil {
			return err
		}
	}
	return errors.Join(archive.Close(), compressed.Close())
}

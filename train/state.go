package train

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"tengen/internal/atomicfile"
)

// state is the content of state.json: the newest committed iteration.
type state struct {
	Format    int               `json:"format"` // stateFormat
	Game      string            `json:"game"`
	Seed      uint64            `json:"seed"`
	Iteration int               `json:"iteration"` // committed so far; 0: nothing but the initial model
	Step      uint64            `json:"step"`      // steps of the run so far
	Games     uint64            `json:"games"`     // games of the run so far: the number of the next
	Model     int               `json:"model"`     // the newest published model, by its iteration
	Files     map[string]string `json:"files"`     // what the run needs to go on: SHA-256 by name
}

// stateFormat changes when a program could misunderstand an older directory.
const stateFormat = 1

// readState returns the committed state after checking every file that it names, or nil if there is none yet.
func (d *Dir) readState() (*state, error) {
	content, err := os.ReadFile(d.file(stateFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, d.checkUnused()
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the run's state: %w", err)
	}
	var s state
	if err := json.Unmarshal(content, &s); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w; %s", d.file(stateFile), err, wayOut)
	}
	if s.Format != stateFormat {
		return nil, fmt.Errorf("%s has format %d, this program knows %d: go on with the program that made it",
			d.file(stateFile), s.Format, stateFormat)
	}
	for name, want := range s.Files {
		sum, err := hashFile(d.file(name))
		if err != nil {
			return nil, fmt.Errorf("the run's state is incomplete: %w; %s", err, wayOut)
		}
		if sum != want {
			return nil, fmt.Errorf("%s is damaged: its SHA-256 is %s, %s says %s; %s", d.file(name), sum, stateFile, want, wayOut)
		}
	}
	return &s, nil
}

const wayOut = "restore it from a copy, or start a new run in another directory (the models of this one can still be played with)"

// checkUnused refuses a directory without a state in which models would be lost if a new run began.
func (d *Dir) checkUnused() error {
	models, err := d.models()
	if err != nil {
		return err
	}
	if n := len(models); n > 0 && models[n-1] > 0 {
		return fmt.Errorf("%s holds models up to iteration %d, but %s is missing; %s", d.path, models[n-1], stateFile, wayOut)
	}
	return nil
}

// writeState commits.
func (d *Dir) writeState(s state) error {
	content, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.WriteBytes(d.file(stateFile), append(content, '\n'))
}

// hashFiles returns the SHA-256 of the named files.
func (d *Dir) hashFiles(names ...string) (map[string]string, error) {
	sums := map[string]string{}
	for _, name := range names {
		sum, err := hashFile(d.file(name))
		if err != nil {
			return nil, err
		}
		sums[name] = sum
	}
	return sums, nil
}

// hashFile is the SHA-256 of a file in hexadecimal.
func hashFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

package access

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"tengen/internal/atomicfile"
)

// Caught is a worker that is kept out for what it has sent: a false game, or many messages that were no games.
type Caught struct {
	Worker     string `json:"worker"`
	Since      uint64 `json:"since"`             // after a false game, games with sequence numbers above this are not used
	Sequence   uint64 `json:"sequence"`          // of the false game, or of the last message
	Game       uint64 `json:"game"`              // number of the false game
	Model      uint64 `json:"model"`             // that it says it was played by
	Garbage    int    `json:"garbage,omitempty"` // messages that were no games; 0 for a false game
	Difference string `json:"difference"`        // between what was sent and what it must be
}

// CaughtFile is the file of the workers of a run that were caught, a line each. Whoever takes a line out pardons the worker. The
// empty one keeps nothing.
type CaughtFile string

// Read reads the file, none if there is none.
func (f CaughtFile) Read() (all []Caught, err error) {
	if f == "" {
		return nil, nil
	}
	content, err := os.ReadFile(string(f))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for i, line := range bytes.Split(content, []byte("\n")) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var c Caught
		if err := json.Unmarshal(line, &c); err != nil || c.Worker == "" {
			return nil, fmt.Errorf("line %d of %s names no worker that was caught (%v): mend it, or take it out, which pardons the worker", i+1, f, err)
		}
		all = append(all, c)
	}
	return all, nil
}

// Write writes the file.
func (f CaughtFile) Write(all []Caught) error {
	if f == "" {
		return nil
	}
	var content bytes.Buffer
	lines := json.NewEncoder(&content) // a line each
	for _, c := range all {
		if err := lines.Encode(c); err != nil {
			return err
		}
	}
	return atomicfile.WriteBytes(string(f), 0o644, content.Bytes())
}

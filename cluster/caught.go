package cluster

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"tengen/internal/atomicfile"
)

// caughtWorker is a line of the file of workers that have sent a false game. Whoever takes the line out pardons the worker.
type caughtWorker struct {
	Worker     string `json:"worker"`
	Since      uint64 `json:"since"`      // games with sequence numbers above this are not used
	Sequence   uint64 `json:"sequence"`   // of the false game
	Game       uint64 `json:"game"`       // its number
	Model      uint64 `json:"model"`      // that it says it was played by
	Difference string `json:"difference"` // between what was sent and what it must be
}

// readCaught reads the file, none if there is none.
func readCaught(file string) (all []caughtWorker, err error) {
	if file == "" {
		return nil, nil
	}
	content, err := os.ReadFile(file)
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
		var c caughtWorker
		if err := json.Unmarshal(line, &c); err != nil || c.Worker == "" {
			return nil, fmt.Errorf("line %d of %s names no worker that was caught (%v): mend it, or take it out, which pardons the worker", i+1, file, err)
		}
		all = append(all, c)
	}
	return all, nil
}

// writeCaught writes the file.
func writeCaught(file string, all []caughtWorker) error {
	if file == "" {
		return nil
	}
	var content bytes.Buffer
	lines := json.NewEncoder(&content) // a line each
	for _, c := range all {
		if err := lines.Encode(c); err != nil {
			return err
		}
	}
	return atomicfile.WriteBytes(file, 0o644, content.Bytes())
}

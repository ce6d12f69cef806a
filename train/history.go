package train

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"tengen/internal/atomicfile"
)

// newMetrics begins metrics.jsonl.
func (d *Dir) newMetrics() error { return atomicfile.WriteBytes(d.file(metricsFile), nil) }

// appendMetrics adds a line to metrics.jsonl and waits until it is on the disk. It counts only once the iteration is
// committed.
func (d *Dir) appendMetrics(m *Metrics) error {
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(d.file(metricsFile), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Sync(), f.Close())
}

// truncateMetrics keeps the whole lines of metrics.jsonl that are about the given iteration or one before it.
func (d *Dir) truncateMetrics(iteration int) error {
	content, err := os.ReadFile(d.file(metricsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot read the run's metrics: %w", err)
	}
	var kept []byte
	for line := range bytes.Lines(content) {
		var m struct{ Iteration int }
		if bytes.HasSuffix(line, []byte("\n")) && json.Unmarshal(line, &m) == nil && m.Iteration <= iteration {
			kept = append(kept, line...)
		}
	}
	if len(kept) == len(content) {
		return nil
	}
	return atomicfile.WriteBytes(d.file(metricsFile), kept)
}

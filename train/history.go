package train

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
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

// trimMetrics keeps the whole lines of metrics.jsonl that are about the state's iteration or one before it. It tells
// whether they are those that were committed.
func (d *Dir) trimMetrics(s state) (intact bool, err error) {
	content, err := os.ReadFile(d.file(metricsFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("cannot read the run's metrics: %w", err)
	}
	kept, digest := committedLines(content, s.Iteration)
	if len(kept) < len(content) {
		err = atomicfile.WriteBytes(d.file(metricsFile), kept)
	} else {
		err = nil
	}
	return digest == s.History, err
}

// committedLines are the whole lines of metrics that are about the given iteration or one before it, and their digest.
func committedLines(content []byte, iteration int) (kept []byte, digest string) {
	for line := range bytes.Lines(content) {
		var m Metrics
		if bytes.HasSuffix(line, []byte("\n")) && json.Unmarshal(line, &m) == nil && m.Iteration <= iteration {
			kept = append(kept, line...)
			digest = m.digest(digest)
		}
	}
	return kept, digest
}

// digest is a checksum, in hexadecimal, of the run's metrics up to these, but for what goes by the clock. before is that of
// the metrics before, "" if there are none.
func (m Metrics) digest(before string) string {
	line, err := json.Marshal(m.Timeless())
	if err != nil {
		panic(err) // the numbers were read from JSON, or are written to it
	}
	sum := sha256.Sum256(append([]byte(before), line...))
	return hex.EncodeToString(sum[:])
}

package checkpoint

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

// MetricsFile is the path of a run directory's metrics.jsonl.
func MetricsFile(path string) string { return layout(path).file(metricsFile) }

// ReadMetrics returns the lines of a run directory's metrics.jsonl, none if there is no such file. Another process may hold
// the directory. What is no such line is left out, as a process that was killed may leave behind.
func ReadMetrics(path string) ([]Metrics, error) {
	content, err := layout(path).metrics()
	if err != nil {
		return nil, err
	}
	return parseMetrics(content), nil
}

// LoadMetrics is ReadMetrics for a run directory, or for a file as the metrics.jsonl of one. It is an error if there are no
// metrics.
func LoadMetrics(path string) ([]Metrics, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no run directory, and no file of metrics, %s", path)
	} else if err != nil {
		return nil, err
	}
	file := path
	if info.IsDir() {
		file = MetricsFile(path)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%s is no run directory: %w", path, err)
	}
	all := parseMetrics(content)
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no metrics: the run has not completed an iteration, or it is another file", file)
	}
	return all, nil
}

// parseMetrics reads the lines of metrics.jsonl, see ReadMetrics.
func parseMetrics(content []byte) (all []Metrics) {
	for line := range bytes.Lines(content) {
		var m Metrics
		if json.Unmarshal(line, &m) == nil && m.Iteration > 0 {
			all = append(all, m)
		}
	}
	return all
}

// MetricsSize is the length of a run directory's metrics.jsonl in bytes, by which one can tell that there is something new in it.
// It is 0 if there is no such file.
func MetricsSize(path string) int64 {
	info, err := os.Stat(layout(path).file(metricsFile))
	if err != nil {
		return 0
	}
	return info.Size()
}

// metrics is the content of metrics.jsonl, nothing if there is no such file.
func (l layout) metrics() ([]byte, error) {
	content, err := os.ReadFile(l.file(metricsFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot read the run's metrics: %w", err)
	}
	return content, nil
}

// newMetrics begins metrics.jsonl.
func (l layout) newMetrics() error { return atomicfile.WriteBytes(l.file(metricsFile), 0o644, nil) }

// appendMetrics adds a line to metrics.jsonl and waits until it is on the disk. It counts only once the iteration is
// committed.
func (l layout) appendMetrics(m *Metrics) error {
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(l.file(metricsFile), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Sync(), f.Close())
}

// trimMetrics keeps the whole lines of metrics.jsonl that are about the checkpoint's iteration or one before it. It
// reports whether they are those that were committed.
func (l layout) trimMetrics(c *Checkpoint) (intact bool, err error) {
	content, err := l.metrics()
	if err != nil {
		return false, err
	}
	kept, digest := committedLines(content, c.Iteration)
	if len(kept) < len(content) {
		err = atomicfile.WriteBytes(l.file(metricsFile), 0o644, kept)
	}
	return digest == c.History, err
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

// digest is a checksum, in hexadecimal, of the run's metrics up to these, but for what goes by the clock:
//
//	digest = SHA-256(before + JSON of the metrics without times)
//
// before is the digest up to the metrics before, "" if there are none.
func (m Metrics) digest(before string) string {
	line, err := json.Marshal(m.Timeless())
	if err != nil {
		panic(err) // the numbers were read from JSON, or are written to it
	}
	sum := sha256.Sum256(append([]byte(before), line...))
	return hex.EncodeToString(sum[:])
}

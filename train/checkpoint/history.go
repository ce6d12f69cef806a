package checkpoint

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"regexp"

	"tengen/internal/atomicfile"
	"tengen/internal/files"
)

// MetricsFile returns the path of a run directory's metrics.jsonl.
func MetricsFile(path string) string { return layout(path).file(metricsFile) }

// maxText is the size limit of the metrics and of measurements in bytes. A line of metrics has a few thousand.
const maxText = 1 << 30

// ReadMetrics returns the lines of a run directory's metrics.jsonl, none if the file does not exist. It skips malformed
// lines, which a killed process may leave. Another process may hold the directory.
func ReadMetrics(path string) ([]Metrics, error) {
	content, err := layout(path).metrics()
	if err != nil {
		return nil, err
	}
	return parseMetrics(content), nil
}

// LoadMetrics is like ReadMetrics, but path may also be a metrics file, and it is an error if there are no metrics.
func LoadMetrics(path string) ([]Metrics, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("%s is neither a run directory nor a metrics file: %w", path, err)
	}
	file := path
	if info.IsDir() {
		file = MetricsFile(path)
	}
	content, err := files.Read(file, maxText)
	if err != nil {
		return nil, fmt.Errorf("%s is not a run directory: %w", path, err)
	}
	all := parseMetrics(content)
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no metrics: the run has not completed an iteration, or it is another file", file)
	}
	return all, nil
}

func parseMetrics(content []byte) (all []Metrics) {
	for line := range bytes.Lines(content) {
		var m Metrics
		if json.Unmarshal(line, &m) == nil && m.Iteration > 0 {
			all = append(all, m)
		}
	}
	return all
}

// MetricsSize returns the size of a run directory's metrics.jsonl in bytes, 0 if the file does not exist.
func MetricsSize(path string) int64 {
	info, err := os.Lstat(layout(path).file(metricsFile))
	if err != nil {
		return 0
	}
	return info.Size()
}

// metrics returns the content of metrics.jsonl, nil if the file does not exist.
func (l layout) metrics() ([]byte, error) {
	content, err := files.Read(l.file(metricsFile), maxText)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot read the run's metrics: %w", err)
	}
	return content, nil
}

// appendMetrics appends a line to metrics.jsonl and syncs it. The line counts once the iteration is committed.
func (l layout) appendMetrics(line []byte) error {
	f, err := files.Open(l.file(metricsFile), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Sync(), f.Close())
}

// trimMetrics keeps the complete lines up to the checkpoint's iteration and reports whether they are intact.
func (l layout) trimMetrics(c *Checkpoint) (intact bool, err error) {
	content, err := l.metrics()
	if err != nil {
		return false, err
	}
	kept, history := committedLines(content, c.Iteration)
	if len(kept) < len(content) || content == nil {
		err = atomicfile.WriteBytes(l.file(metricsFile), 0o644, kept)
	}
	return history == c.History, err
}

// committedLines returns the complete lines up to an iteration, and their digest.
func committedLines(content []byte, iteration int) (kept []byte, history string) {
	for line := range bytes.Lines(content) {
		var m Metrics
		if bytes.HasSuffix(line, []byte("\n")) && json.Unmarshal(line, &m) == nil && m.Iteration <= iteration {
			kept = append(kept, line...)
			history = chain(history, line)
		}
	}
	return kept, history
}

// timed matches the keys of a line that depend on timing. A later version names further ones so that they end alike.
var timed = regexp.MustCompile(`^(time|verified|cache_hit_rate|(.*_)?(seconds|per_second))$`)

// Timeless returns a line of metrics with sorted keys and without what depends on timing. It keeps values as they are
// written, also those that only another version of the program knows.
func Timeless(line []byte) ([]byte, error) {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(line, &values); err != nil {
		return nil, err
	}
	maps.DeleteFunc(values, func(key string, _ json.RawMessage) bool { return timed.MatchString(key) })
	return json.Marshal(values)
}

// chain returns a checksum of the run's metrics up to a line, which is a JSON object:
//
//	digest(before + Timeless(line))
//
// before is that of the preceding lines, "" if there is none.
func chain(before string, line []byte) string {
	text, _ := Timeless(line)
	return digest(append([]byte(before), text...))
}

// digest returns the SHA-256 of content, hexadecimal.
func digest(content []byte) string {
	return fmt.Sprintf("%x", sha256.Sum256(content))
}

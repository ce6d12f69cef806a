package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// log is the work file, an entry a line as JSON. A line that was cut short when the program ended does not count.
type log struct {
	file    *os.File
	entries []entry // that were there when it was opened
}

// entry is a position drawn.
type entry struct {
	Stage  int `json:"stage"`
	Number int `json:"number"` // of the draw
	problem
}

func openLog(path string) (*log, error) {
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	whole := data[:bytes.LastIndexByte(data, '\n')+1]
	l := &log{}
	for line := range bytes.Lines(whole) {
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", path, len(l.entries)+1, err)
		}
		if len(e.Scores) == 0 {
			return nil, fmt.Errorf("%s: line %d has no scores", path, len(l.entries)+1)
		}
		l.entries = append(l.entries, e)
	}
	if l.file, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o644); err != nil {
		return nil, err
	}
	if err := l.file.Truncate(int64(len(whole))); err != nil {
		return nil, errors.Join(err, l.file.Close())
	}
	_, err = l.file.Seek(0, io.SeekEnd)
	return l, err
}

func (l *log) append(e entry) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	_, err = l.file.Write(append(line, '\n'))
	return err
}

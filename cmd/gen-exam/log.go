package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"tengen/eval/exam"
)

// log is the work file. A line is a stage and the number of a draw, each with a space after it, and the problem drawn. A line
// that was cut short when the program ended does not count.
type log struct {
	file    *os.File
	entries []entry // that were there when it was opened
}

type entry struct {
	stage   exam.Stage
	number  int
	problem exam.Problem
}

func openLog(path string) (*log, error) {
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	whole := data[:bytes.LastIndexByte(data, '\n')+1]
	l := &log{}
	for line := range strings.Lines(string(whole)) {
		e, err := parseEntry(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", path, len(l.entries)+1, err)
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

func parseEntry(line string) (entry, error) {
	fields := strings.SplitN(line, " ", 3)
	if len(fields) < 3 {
		return entry{}, fmt.Errorf("%q is not a stage, a number and a problem", line)
	}
	stage, err := strconv.Atoi(fields[0])
	if err != nil {
		return entry{}, err
	}
	number, err := strconv.Atoi(fields[1])
	if err != nil {
		return entry{}, err
	}
	p, err := exam.Parse(fields[2])
	return entry{exam.Stage(stage), number, p}, err
}

func (l *log) append(stage exam.Stage, number int, p *exam.Problem) error {
	_, err := fmt.Fprintf(l.file, "%d %d %s\n", stage, number, p.Line())
	return err
}

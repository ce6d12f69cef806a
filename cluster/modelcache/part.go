package modelcache

import (
	"io"
	"os"
)

// Part is what has arrived of a model: in memory, and in a file for the process that goes on if this one ends. It is for one goroutine.
type Part struct {
	content []byte
	arrived func(bytes int)
	file    *os.File // nil: none
	err     error    // the first of the file
}

func newPart(arrived func(int)) *Part { return &Part{arrived: arrived} }

// open takes up what the file holds, if that can be a part of size bytes, and writes on there.
func (p *Part) open(path string, size int) {
	if p.file, p.err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600); p.err != nil {
		p.file = nil
		return
	}
	info, err := p.file.Stat()
	if err == nil && info.Size() <= int64(size) {
		p.content, err = io.ReadAll(p.file)
	} else if err == nil {
		err = p.file.Truncate(0)
	}
	p.err = err
}

// Len is the number of bytes that have arrived.
func (p *Part) Len() int { return len(p.content) }

// Write adds bytes. It never fails: without a file, memory does.
func (p *Part) Write(b []byte) (int, error) {
	p.content = append(p.content, b...)
	if p.file != nil && p.err == nil {
		_, p.err = p.file.Write(b)
	}
	p.arrived(len(p.content))
	return len(b), nil
}

// load lets fetch add what is missing, and checks the whole.
func (p *Part) load(digest string, fetch func(*Part) error) ([]byte, error) {
	if err := fetch(p); err != nil {
		return nil, err
	}
	if !matches(p.content, digest) {
		return nil, ErrDamaged
	}
	return p.content, nil
}

// close returns the first error of the file.
func (p *Part) close() error {
	if p.file == nil {
		return p.err
	}
	if err := p.file.Close(); p.err == nil {
		p.err = err
	}
	return p.err
}

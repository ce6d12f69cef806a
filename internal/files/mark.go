package files

import (
	"bufio"
	"bytes"
	"io"
)

// mark is UTF-8's byte order mark, with which some editors begin a text.
var mark = []byte("\ufeff")

// Text returns a text without the byte order mark that it may begin with.
func Text(content []byte) []byte { return bytes.TrimPrefix(content, mark) }

// TextReader is like Text for a stream. It never waits for more than in's next bytes, and does not read on after an
// error: in a terminal, more may follow the end of the input.
func TextReader(in io.Reader) io.Reader { return &textReader{Reader: bufio.NewReader(in)} }

type textReader struct {
	*bufio.Reader
	begun bool
}

// Read implements io.Reader.
func (r *textReader) Read(p []byte) (int, error) {
	if !r.begun {
		r.begun = true
		first, err := r.Peek(1)
		if len(first) == 0 {
			return 0, err
		}
		if bytes.HasPrefix(mark, first) {
			if start, _ := r.Peek(len(mark)); bytes.Equal(start, mark) {
				r.Discard(len(mark))
			}
		}
	}
	return r.Reader.Read(p)
}

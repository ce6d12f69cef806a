package files

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"tengen/internal/printable"
)

const (
	maxLine = 1 << 20
	longest = 200 // characters that an error repeats
)

// ScanLines is bufio.ScanLines without the byte order mark that a text may begin with.
func ScanLines(data []byte, atEOF bool) (advance int, line []byte, err error) {
	advance, line, err = bufio.ScanLines(data, atEOF)
	return advance, Text(line), err
}

// Lines yields in's lines without line feeds, until in or ctx ends. After an error, no line follows. A goroutine reads
// in. It may outlive the loop, until the next line or the end of in.
func Lines(ctx context.Context, in io.Reader) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		lines := make(chan []byte)
		var failed error // valid after lines
		go func() {
			defer close(lines)
			scanner := bufio.NewScanner(in)
			scanner.Buffer(nil, maxLine)
			scanner.Split(ScanLines)
			for scanner.Scan() {
				select {
				case lines <- slices.Clone(scanner.Bytes()):
				case <-ctx.Done():
					return
				}
			}
			if failed = scanner.Err(); errors.Is(failed, bufio.ErrTooLong) {
				failed = fmt.Errorf("it has %d bytes or more", maxLine)
			}
		}()
		for {
			select {
			case text, open := <-lines:
				if !open && failed != nil {
					yield(nil, failed)
				}
				if !open || !yield(text, nil) {
					return
				}
			case <-ctx.Done():
				yield(nil, ctx.Err())
				return
			}
		}
	}
}

// DecodeLine decodes a line's single JSON object. Unknown fields and trailing data are errors, worded for the author of
// the request. After an error, into may be partly filled.
func DecodeLine(line []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	wrong := (*json.UnmarshalTypeError)(nil)
	switch _, more := d.Token(); {
	case errors.As(err, &wrong):
		return fmt.Errorf("%s cannot be a JSON %s", cmp.Or(printable.Text(wrong.Field, longest), "a request"), printable.Text(wrong.Value, longest))
	case err == io.EOF:
		return errors.New("there is no JSON object")
	case err == io.ErrUnexpectedEOF:
		return errors.New("the JSON ends too early")
	case err != nil:
		return errors.New(printable.Text(strings.TrimPrefix(err.Error(), "json: "), longest))
	case more != io.EOF:
		return errors.New("there is more than one JSON object")
	}
	return nil
}

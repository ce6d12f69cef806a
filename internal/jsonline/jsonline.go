// Package jsonline reads requests from other programs, one JSON object per line.
package jsonline

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"tengen/internal/printable"
)

// longest is the maximum number of characters that an error repeats.
const longest = 200

// Decode decodes a line's single object. Unknown fields and trailing data are errors, worded for the request's author.
// After an error, into may be partly filled.
func Decode(line []byte, into any) error {
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

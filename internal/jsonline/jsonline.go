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
)

// Decode decodes a line's single object. Unknown fields and trailing data are errors, worded for the request's author.
// After an error, into may be partly filled.
func Decode(line []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	wrong := (*json.UnmarshalTypeError)(nil)
	switch _, more := d.Token(); {
	case errors.As(err, &wrong):
		return fmt.Errorf("%s cannot be a JSON %s", cmp.Or(wrong.Field, "a request"), wrong.Value)
	case err == io.EOF:
		return errors.New("there is no JSON object")
	case err != nil:
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	case more != io.EOF:
		return errors.New("there is more than one JSON object")
	}
	return nil
}

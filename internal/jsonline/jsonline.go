// Package jsonline reads requests of other programs: a JSON object a line.
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

// Decode reads the one object of a line into a pointer. A field that the type does not have, and anything behind the object, are
// errors; they are meant for the person who has written the request. After an error, what came before it has been read.
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

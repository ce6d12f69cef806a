// Package curves writes the metrics of a run as event files of TensorBoard, while the run goes on or afterwards.
package curves

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tengen/train/rundir"
)

// Value is a number of a line of metrics.
type Value struct {
	Path   []string // the keys that lead to it in metrics.jsonl
	Number float64  // 1 and 0 for true and false
}

// Values lists the numbers of a line, in the order of metrics.jsonl. A part of an exam goes by its name. Matches against earlier
// models of the run are left out: they differ from line to line, and the rating sums them up.
func Values(m rundir.Metrics) []Value {
	line, err := json.Marshal(m)
	if err != nil {
		panic(err) // the numbers were read from JSON, or are written to it
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	return slices.DeleteFunc(appendValues(nil, d, nil), func(v Value) bool {
		return v.Path[0] == "evaluation" && rundir.IsModelName(v.Path[1])
	})
}

// appendValues appends the numbers of the next value of a document.
func appendValues(list []Value, d *json.Decoder, path []string) []Value {
	token, err := d.Token()
	if err != nil {
		panic(err) // it was just written
	}
	switch x := token.(type) {
	case json.Delim:
		if x == '{' {
			return appendObject(list, d, path)
		}
		return appendParts(list, d, path)
	case json.Number:
		number, err := x.Float64()
		if err != nil {
			panic(err) // it was a number before it was written
		}
		return append(list, Value{path, number})
	case bool:
		if x {
			return append(list, Value{path, 1})
		}
		return append(list, Value{path, 0})
	}
	return list // a text, or null
}

// appendObject appends the numbers of an object whose brace was read.
func appendObject(list []Value, d *json.Decoder, path []string) []Value {
	for d.More() {
		key, _ := d.Token()
		list = appendValues(list, d, append(slices.Clone(path), key.(string)))
	}
	d.Token() // the closing brace
	return list
}

// appendParts appends the numbers of an array of objects whose bracket was read. An element goes by its "part", or by its place.
func appendParts(list []Value, d *json.Decoder, path []string) []Value {
	for i := 0; d.More(); i++ {
		var element json.RawMessage
		if err := d.Decode(&element); err != nil {
			panic(err) // likewise
		}
		named := struct{ Part string }{strconv.Itoa(i)}
		if err := json.Unmarshal(element, &named); err != nil {
			panic(fmt.Sprintf("%s is no array of objects: %v", strings.Join(path, "."), err))
		}
		inner := json.NewDecoder(bytes.NewReader(element))
		inner.UseNumber()
		list = appendValues(list, inner, append(slices.Clone(path), named.Part))
	}
	d.Token() // the closing bracket
	return list
}

// Package limits checks the ranges of settings. Its errors name the key, the value and the range:
//
//	search.simulations is 0, but must be 1 to 10000000
//
// Struct tags declare a configuration's keys:
//
//	Channels   int    `json:"channels" default:"48" range:"[1,1024]"`
//	PolicyHead string `json:"policy_head" default:"dense" range:"dense|conv"`
//
// A range is an interval, whose ( and ) exclude a bound, or a list of words.
package limits

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Int returns an error unless low <= value <= high.
func Int(key string, value, low, high int) error {
	return interval{low: float64(low), high: float64(high)}.check(key, float64(value))
}

// OneOf returns an error unless value is one of at least two words.
func OneOf(key, value string, words ...string) error {
	if slices.Contains(words, value) {
		return nil
	}
	return fmt.Errorf("%s is %q, but must be %s", key, value, List(words))
}

// Field is a key of a configuration.
type Field struct {
	Key   string        // JSON names, such as selfplay.openings.deep_plies
	Value reflect.Value // settable if the struct is
	tag   reflect.StructTag
}

// Fields returns the fields of a struct and its nested structs. Unless section is "", keys begin with it and a dot.
func Fields(section string, v reflect.Value) (all []Field) {
	for i := range v.NumField() {
		tag := v.Type().Field(i).Tag
		key := strings.TrimPrefix(section+"."+tag.Get("json"), ".")
		if v.Field(i).Kind() == reflect.Struct {
			all = append(all, Fields(key, v.Field(i))...)
		} else {
			all = append(all, Field{key, v.Field(i), tag})
		}
	}
	return all
}

// Default returns a struct with the defaults of its tags.
func Default[T any]() (c T) {
	for _, f := range Fields("", reflect.ValueOf(&c).Elem()) {
		text := f.tag.Get("default")
		if f.Value.Kind() == reflect.String {
			f.Value.SetString(text)
		} else if text != "" {
			if err := json.Unmarshal([]byte(text), f.Value.Addr().Interface()); err != nil {
				panic(fmt.Sprintf("limits: default of %s: %v", f.Key, err))
			}
		}
	}
	return c
}

// Check returns an error for a struct's first field out of range. section is as for Fields.
func Check(section string, c any) error {
	for _, f := range Fields(section, reflect.ValueOf(c)) {
		if err := f.Check(); err != nil {
			return err
		}
	}
	return nil
}

// Check returns an error if the field's value is out of range.
func (f Field) Check() error {
	text := f.tag.Get("range")
	if text == "" {
		return nil
	}
	if f.Value.Kind() == reflect.String {
		return OneOf(f.Key, f.Value.String(), strings.Split(text, "|")...)
	}
	return parse(text).check(f.Key, f.Value.Convert(reflect.TypeFor[float64]()).Float())
}

// Range describes the range, such as "0 to 64" or "dense or conv". Without a range, it returns "".
func (f Field) Range() string {
	switch text := f.tag.Get("range"); {
	case text == "":
		return ""
	case f.Value.Kind() == reflect.String:
		return List(strings.Split(text, "|"))
	default:
		return parse(text).String()
	}
}

// List joins words, as in "a, b or c".
func List(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

type interval struct {
	low, high    float64
	above, below bool // whether low, high themselves are outside
}

// parse parses an interval such as [0,1), or panics.
func parse(text string) interval {
	first, second, _ := strings.Cut(text[1:len(text)-1], ",")
	low, err1 := strconv.ParseFloat(first, 64)
	high, err2 := strconv.ParseFloat(second, 64)
	if err := errors.Join(err1, err2); err != nil {
		panic("limits: range " + text + ": " + err.Error())
	}
	return interval{low, high, text[0] == '(', text[len(text)-1] == ')'}
}

// check returns an error if value is outside. NaN always is.
func (r interval) check(key string, value float64) error {
	if value > r.low && value < r.high || value == r.low && !r.above || value == r.high && !r.below {
		return nil
	}
	return fmt.Errorf("%s is %s, but must be %v", key, number(value), r)
}

// String returns words such as "0 to 1" or "above 0 and at most 1".
func (r interval) String() string {
	low, high := number(r.low), number(r.high)
	switch {
	case r.above:
		return "above " + low + " and at most " + high
	case r.below:
		return "at least " + low + " and below " + high
	}
	return low + " to " + high
}

func number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

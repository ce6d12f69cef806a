// Package limits checks that the values of a configuration are in range. Its errors name the key, the value and the range:
//
//	search.simulations is 0, allowed are 1 to 10000000
package limits

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Limit is one key's value, checked.
type Limit struct {
	problem string // empty if the value is in range
}

// Check returns an error for the first value out of range, nil if there is none. The section and a dot stand before the
// key, unless the section is empty.
func Check(section string, limits ...Limit) error {
	for _, l := range limits {
		switch {
		case l.problem == "":
		case section == "":
			return errors.New(l.problem)
		default:
			return errors.New(section + "." + l.problem)
		}
	}
	return nil
}

// Int allows low <= value <= high.
func Int(key string, value, low, high int) Limit {
	return limit(key, value, low <= value && value <= high, "%d to %d", low, high)
}

// Float allows low <= value <= high. No range holds NaN.
func Float(key string, value, low, high float64) Limit {
	return limit(key, value, low <= value && value <= high, "%v to %v", low, high)
}

// Above allows low < value <= high.
func Above(key string, value, low, high float64) Limit {
	return limit(key, value, low < value && value <= high, "numbers above %v up to %v", low, high)
}

// Below allows low <= value < high.
func Below(key string, value, low, high float64) Limit {
	return limit(key, value, low <= value && value < high, "numbers from %v to below %v", low, high)
}

// OneOf allows the names given, of which there are at least two.
func OneOf(key, value string, names ...string) Limit {
	last := len(names) - 1
	return limit(key, fmt.Sprintf("%q", value), slices.Contains(names, value),
		"%s and %s", strings.Join(names[:last], ", "), names[last])
}

func limit(key string, value any, ok bool, format string, allowed ...any) Limit {
	if ok {
		return Limit{}
	}
	return Limit{fmt.Sprintf("%s is %v, allowed are %s", key, value, fmt.Sprintf(format, allowed...))}
}

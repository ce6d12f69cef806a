package run

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"tengen/mcts"
)

// ParseConfig reads the content of a configuration file over the defaults. Its errors are those of YAML and of Merge.
func ParseConfig(content []byte) (Config, error) {
	c, _, err := ParseSettings(content)
	return c, err
}

// ParseSettings is ParseConfig, and returns as well what the file gives, by the full names of the keys.
func ParseSettings(content []byte) (c Config, given map[string]any, err error) {
	var sections map[string]any
	if err := yaml.Unmarshal(content, &sections); err != nil {
		return Config{}, nil, err
	}
	c, given = DefaultConfig(), map[string]any{}
	if err = flatten(given, "", sections); err == nil {
		err = c.Merge(given)
	}
	if err != nil {
		return Config{}, nil, err
	}
	return c, given, nil
}

// Merge takes over the values of a file, given by the full names of their keys or as nested maps. Capital letters in keys
// are small ones. A key that does not exist, one that is given twice, and a value of the wrong type are errors that name what
// is allowed; ranges are up to Validate. After an error some values are taken over.
func (c *Config) Merge(settings map[string]any) error {
	flat := map[string]any{}
	if err := flatten(flat, "", settings); err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(flat)) {
		if err := c.Set(key, flat[key]); err != nil {
			return err
		}
	}
	return nil
}

// flatten adds the values of nested maps to flat, by full names.
func flatten(flat map[string]any, section string, values map[string]any) error {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		key := strings.ToLower(section + name)
		if inner, ok := values[name].(map[string]any); ok && !slices.Contains(ConfigKeys(), key) {
			if err := flatten(flat, key+".", inner); err != nil {
				return err
			}
			continue
		}
		if _, twice := flat[key]; twice {
			return fmt.Errorf("%s is given twice", key)
		}
		flat[key] = values[name]
	}
	return nil
}

// Set gives a key a value as it comes out of YAML. The errors are those of Merge.
func (c *Config) Set(key string, value any) error {
	key = strings.ToLower(key)
	all := fields(reflect.ValueOf(c).Elem(), "")
	i := slices.IndexFunc(all, func(f field) bool { return f.key == key })
	if i < 0 {
		return unknownKey(key)
	}
	if _, section := value.(map[string]any); section || value == nil {
		return fmt.Errorf("%s has no value: give it one, or leave it out for the default", key)
	}
	if err := check(key, all[i].value.Type(), value); err != nil {
		return err
	}
	text, err := yaml.Marshal(value)
	if err == nil {
		err = yaml.Unmarshal(text, all[i].value.Addr().Interface())
	}
	if err != nil {
		return fmt.Errorf("%s is %v: %w", key, value, err)
	}
	return nil
}

// SetText is Set with the value that text would have in a file, which it returns.
func (c *Config) SetText(key, text string) (value any, err error) {
	if err := yaml.Unmarshal([]byte(text), &value); err != nil {
		return nil, fmt.Errorf("%q is no value: %w", text, err)
	}
	return value, c.Set(key, value)
}

// check refuses a value that YAML would bend into the shape of a field.
func check(key string, field reflect.Type, value any) error {
	v := reflect.ValueOf(value)
	if allowed, ok := fits(field.Kind(), v); !ok {
		if text, isText := value.(string); isText {
			value = strconv.Quote(text)
		}
		return fmt.Errorf("%s is %v, allowed are %s", key, value, allowed)
	}
	if field.Kind() == reflect.Slice {
		for i := range v.Len() {
			if err := check(fmt.Sprintf("%s[%d]", key, i), field.Elem(), v.Index(i).Interface()); err != nil {
				return err
			}
		}
	}
	return nil
}

// fits reports whether a field of the given kind takes a value as it comes out of YAML, and which values it takes.
func fits(field reflect.Kind, v reflect.Value) (allowed string, ok bool) {
	const exact = 1 << 53 // a float64 holds all whole numbers up to here
	whole := v.CanInt() || v.CanFloat() && v.Float() == math.Trunc(v.Float()) && math.Abs(v.Float()) <= exact
	switch field {
	case reflect.Int:
		return "whole numbers", whole
	case reflect.Uint64:
		negative := v.CanInt() && v.Int() < 0 || v.CanFloat() && v.Float() < 0
		return "whole numbers from 0 on", v.CanUint() || whole && !negative
	case reflect.Float64:
		return "numbers", v.CanInt() || v.CanUint() || v.CanFloat()
	case reflect.String:
		return "texts", v.Kind() == reflect.String
	case reflect.Bool:
		return "true and false", v.Kind() == reflect.Bool
	case reflect.Slice:
		return "lists such as [32, 64]", v.Kind() == reflect.Slice
	}
	return "", true
}

// unknownKey says what is wrong with a key, and lists those beside it.
func unknownKey(key string) error {
	known := ConfigKeys()
	if slices.ContainsFunc(known, func(k string) bool { return strings.HasPrefix(k, key+".") }) {
		return fmt.Errorf("%q is a section with keys of its own: write %s.KEY", key, key)
	}
	section := key[:strings.LastIndex(key, ".")+1]
	var beside []string
	for _, k := range known {
		if rest, ok := strings.CutPrefix(k, section); ok {
			rest, _, _ = strings.Cut(rest, ".")
			if !slices.Contains(beside, rest) {
				beside = append(beside, rest)
			}
		}
	}
	if beside == nil {
		return fmt.Errorf("unknown key %q: `tengen config show` lists all", key)
	}
	return fmt.Errorf("unknown key %q: allowed here are %s", key, strings.Join(beside, ", "))
}

// ConfigKeys returns the full names of all keys, in the order of the file.
var ConfigKeys = sync.OnceValue(func() []string {
	var keys []string
	for _, f := range fields(reflect.ValueOf(DefaultConfig()), "") {
		keys = append(keys, f.key)
	}
	return keys
})

// field is a place for the value of a key.
type field struct {
	key   string
	value reflect.Value
}

// fields lists the places of all values in a struct of structs, under the names of their yaml tags.
func fields(v reflect.Value, section string) []field {
	var list []field
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
		key := section + name
		if v.Field(i).Kind() == reflect.Struct {
			list = append(list, fields(v.Field(i), key+".")...)
			continue
		}
		list = append(list, field{key, v.Field(i)})
	}
	return list
}

// SearchWith is PlayerOptions.Search of some settings, by the full names of their keys: those of the search take the place of
// what a model was trained with. nil where there are none. It panics at a value that Merge refuses.
func SearchWith(settings map[string]any) func(trained mcts.Config) mcts.Config {
	given := maps.Clone(settings)
	maps.DeleteFunc(given, func(key string, _ any) bool { return !strings.HasPrefix(key, "search.") })
	if len(given) == 0 {
		return nil
	}
	return func(trained mcts.Config) mcts.Config {
		c := Config{Search: trained}
		if err := c.Merge(given); err != nil {
			panic(err)
		}
		return c.Search
	}
}

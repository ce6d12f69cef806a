package run

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"tengen/internal/limits"
	"tengen/mcts"
)

//go:generate go run -C ../lab ./gen

// defaultFile is a copy of the top folder's config.yaml.
//
//go:embed config.yaml
var defaultFile []byte

// ParseConfig reads a configuration file over the defaults.
func ParseConfig(content []byte) (Config, error) {
	values, err := ParseValues(content)
	if err != nil {
		return Config{}, err
	}
	return DefaultConfig().With(values), nil
}

// ParseValues returns the values of the keys in a configuration file. Each fits its key's type and range. The case of
// keys does not matter, and dots may replace sections. An error names the lines of all keys that are wrong.
//
// It walks YAML nodes: decoding into a struct truncates 3.7 to 3 and accepts keys that differ only in case, and
// decoding into a map, as package viper does, loses the lines and reads 0100 as 64.
func ParseValues(content []byte) (map[string]any, error) {
	var document yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil && bytes.Contains(content, []byte("\n\t")) {
		return nil, fmt.Errorf("%w: indent with spaces, not tabs", err)
	} else if err != nil {
		return nil, err
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, errors.New("a line --- begins a second document: write all keys in one")
	}
	p := parser{new(Config).byKey(), map[string]any{}, map[string]int{}}
	return p.values, p.parse("", document.Content[0])
}

type parser struct {
	fields map[string]limits.Field // into which values are decoded
	values map[string]any          // of the keys so far
	lines  map[string]int          // of the same keys
}

// parse decodes the values in a mapping. section is the prefix of its keys.
func (p *parser) parse(section string, mapping *yaml.Node) error {
	if mapping.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: a section has keys: write %sKEY: VALUE", mapping.Line, section)
	}
	var wrong []string
	for i := 0; i < len(mapping.Content); i += 2 {
		name, value := mapping.Content[i], mapping.Content[i+1]
		key := strings.ToLower(section + name.Value)
		var err error
		switch line, twice := p.lines[key]; {
		case name.Kind != yaml.ScalarNode:
			err = errors.New("a key must be a word")
		case twice:
			err = fmt.Errorf("%s is given twice, also in line %d", key, line)
		case value.Kind == yaml.MappingNode && isSection(key):
			if err := p.parse(key+".", value); err != nil {
				wrong = append(wrong, err.Error())
			}
			continue
		default:
			p.lines[key] = name.Line
			p.values[key], err = decode(p.fields, key, value)
		}
		if err != nil {
			wrong = append(wrong, fmt.Sprintf("line %d: %v", name.Line, err))
		}
	}
	if len(wrong) > 0 {
		return errors.New(strings.Join(wrong, "; "))
	}
	return nil
}

// ParseValue returns the value that a text has for a key. It is parsed as YAML, such as "0.1", unless the key's type is
// string. The case of the key does not matter.
func ParseValue(key, text string) (any, error) {
	key = strings.ToLower(key)
	fields := new(Config).byKey()
	node := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"}
	if fields[key].Value.Kind() == reflect.String {
		node.SetString(text)
	} else {
		var document yaml.Node
		if err := yaml.Unmarshal([]byte(text), &document); err != nil {
			return nil, fmt.Errorf("%s is %q, which is not a value: %w", key, text, err)
		}
		if len(document.Content) > 0 {
			node = document.Content[0]
		}
	}
	return decode(fields, key, node)
}

// With returns c with other values for some keys. They are from ParseValue or ParseValues.
func (c Config) With(values map[string]any) Config {
	for _, f := range c.fields() {
		if value, ok := values[f.Key]; ok {
			f.Value.Set(reflect.ValueOf(value))
		}
	}
	return c
}

func (c *Config) byKey() map[string]limits.Field {
	fields := map[string]limits.Field{}
	for _, f := range c.fields() {
		fields[f.Key] = f
	}
	return fields
}

// decode decodes a node into the key's field, checks its range and returns it. An integer may be written as 2.0.
func decode(fields map[string]limits.Field, key string, node *yaml.Node) (any, error) {
	f, ok := fields[key]
	if isSection(key) {
		return nil, fmt.Errorf("%q is a section with keys: write %s.KEY", key, key)
	} else if !ok {
		return nil, unknownKey(key)
	}
	if node.Alias != nil {
		node = node.Alias
	}
	allowed := map[reflect.Kind]struct{ text, tags string }{
		reflect.Int:     {"a whole number", "!!int !!float"},
		reflect.Uint64:  {"a whole number, 0 or more", "!!int !!float"},
		reflect.Float64: {"a number", "!!int !!float"},
		reflect.String:  {"a text", "!!str"},
		reflect.Bool:    {"true or false", "!!bool"},
	}[f.Value.Kind()]
	switch tag := node.ShortTag(); {
	case tag == "!!null":
		return nil, fmt.Errorf("%s has no value: give it one, or leave it out for the default", key)
	case f.Value.Kind() == reflect.Uint64 && strings.HasPrefix(node.Value, "-"): // yaml decodes -1.0, by processor
	case tag == "!!int" && octal.MatchString(node.Value):
		return nil, fmt.Errorf("%s is %s, which YAML may read as an octal number: write it without the leading 0", key, node.Value)
	case node.Kind == yaml.ScalarNode && slices.Contains(strings.Fields(allowed.tags), tag) && (f.Value.Kind() == reflect.Float64 || whole(node)):
		if node.Decode(f.Value.Addr().Interface()) == nil {
			return f.Value.Interface(), f.Check()
		}
	}
	text := node.Value
	if node.ShortTag() == "!!str" {
		text = strconv.Quote(text)
	} else if node.Kind != yaml.ScalarNode {
		text = oneLineYAML(node)
	}
	return nil, fmt.Errorf("%s is %s, but must be %s", key, text, allowed.text)
}

// octal matches what YAML 1.1 reads as a number to the base of 8.
var octal = regexp.MustCompile(`^[-+]?0[0-9_]+$`)

// whole returns false for a float that has a fraction or is too large to be exact in a float64.
func whole(node *yaml.Node) bool {
	var x float64
	const exact = 1 << 53
	return node.ShortTag() != "!!float" || node.Decode(&x) == nil && x == math.Trunc(x) && math.Abs(x) <= exact
}

// SearchWith returns a function that puts the given values of the section search over a model's search constants. It
// returns nil if no value is of that section.
func SearchWith(given map[string]any) func(trained mcts.Config) mcts.Config {
	for key := range given {
		if strings.HasPrefix(key, "search.") {
			return func(trained mcts.Config) mcts.Config { return Config{Search: trained}.With(given).Search }
		}
	}
	return nil
}

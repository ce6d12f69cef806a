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
	"sync"

	"go.yaml.in/yaml/v3"

	"tengen/engine"
	"tengen/internal/limits"
	"tengen/mcts"
)

//go:generate go run -C ../lab ./gen

// defaultFile is a copy of the top folder's config.yaml.
//
//go:embed config.yaml
var defaultFile []byte

// ParseConfig reads a configuration file over the defaults (see Read).
func ParseConfig(content []byte) (Config, error) {
	c := DefaultConfig()
	_, err := c.Read(content)
	return c, err
}

// Read sets the keys in a configuration file and returns their lines. The case of keys does not matter, and dots may
// replace sections. After an error, which names the line, some keys may be set.
//
// Read walks YAML nodes: decoding into a struct truncates 3.7 to 3 and accepts keys that differ only in case.
func (c *Config) Read(content []byte) (lines map[string]int, err error) {
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
	r := reader{c.byKey(), map[string]int{}}
	return r.lines, r.read("", document.Content[0])
}

type reader struct {
	fields map[string]limits.Field
	lines  map[string]int // of the keys so far
}

// read sets the keys in a mapping. section is their prefix. Its error names the lines of all keys that are wrong.
func (r *reader) read(section string, mapping *yaml.Node) error {
	if mapping.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: a section has keys: write %sKEY: VALUE", mapping.Line, section)
	}
	var wrong []string
	for i := 0; i < len(mapping.Content); i += 2 {
		name, value := mapping.Content[i], mapping.Content[i+1]
		key := strings.ToLower(section + name.Value)
		var err error
		switch line, twice := r.lines[key]; {
		case name.Kind != yaml.ScalarNode:
			err = errors.New("a key must be a word")
		case twice:
			err = fmt.Errorf("%s is given twice, also in line %d", key, line)
		case value.Kind == yaml.MappingNode && isSection(key):
			if err := r.read(key+".", value); err != nil {
				wrong = append(wrong, err.Error())
			}
			continue
		default:
			r.lines[key] = name.Line
			err = set(r.fields, key, value)
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

// Set sets a key. It parses a string as YAML, such as "0.1", unless the key's type is string.
func (c *Config) Set(key string, value any) error {
	key = strings.ToLower(key)
	var node yaml.Node
	err := node.Encode(value)
	fields := c.byKey()
	if text, ok := value.(string); ok && fields[key].Value.Kind() != reflect.String {
		var document yaml.Node
		node = yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"}
		err = yaml.Unmarshal([]byte(text), &document)
		if len(document.Content) > 0 {
			node = *document.Content[0]
		}
	}
	if err != nil {
		return fmt.Errorf("%s is %q, which is not a value: %w", key, value, err)
	}
	return set(fields, key, &node)
}

func (c *Config) byKey() map[string]limits.Field {
	fields := map[string]limits.Field{}
	for _, f := range c.fields() {
		fields[f.Key] = f
	}
	return fields
}

func set(fields map[string]limits.Field, key string, node *yaml.Node) error {
	f, ok := fields[key]
	switch {
	case isSection(key):
		return fmt.Errorf("%q is a section with keys: write %s.KEY", key, key)
	case !ok:
		return unknownKey(key)
	}
	if err := assign(key, f.Value, node); err != nil {
		return err
	}
	return f.Check()
}

// assign decodes a node into v, which has the key's type. An integer may be written as 2.0.
func assign(key string, v reflect.Value, node *yaml.Node) error {
	if node.Alias != nil {
		node = node.Alias
	}
	allowed := map[reflect.Kind]struct{ text, tags string }{
		reflect.Int:     {"a whole number", "!!int !!float"},
		reflect.Uint64:  {"a whole number, 0 or more", "!!int !!float"},
		reflect.Float64: {"a number", "!!int !!float"},
		reflect.String:  {"a text", "!!str"},
		reflect.Bool:    {"true or false", "!!bool"},
	}[v.Kind()]
	switch tag := node.ShortTag(); {
	case tag == "!!null":
		return fmt.Errorf("%s has no value: give it one, or leave it out for the default", key)
	case tag == "!!int" && octal.MatchString(node.Value):
		return fmt.Errorf("%s is %s, which YAML may read as an octal number: write it without the leading 0", key, node.Value)
	case node.Kind == yaml.ScalarNode && slices.Contains(strings.Fields(allowed.tags), tag) && (v.Kind() == reflect.Float64 || whole(node)):
		if node.Decode(v.Addr().Interface()) == nil {
			return nil
		}
	}
	text := node.Value
	if node.ShortTag() == "!!str" {
		text = strconv.Quote(text)
	} else if node.Kind != yaml.ScalarNode {
		text = oneLineYAML(node)
	}
	return fmt.Errorf("%s is %s, but must be %s", key, text, allowed.text)
}

// octal matches what YAML 1.1 reads as a number to the base of 8.
var octal = regexp.MustCompile(`^[-+]?0[0-9_]+$`)

// whole returns false for a float that has a fraction or is too large to be exact in a float64.
func whole(node *yaml.Node) bool {
	var x float64
	const exact = 1 << 53
	return node.ShortTag() != "!!float" || node.Decode(&x) == nil && x == math.Trunc(x) && math.Abs(x) <= exact
}

func isSection(key string) bool {
	return slices.ContainsFunc(configKeys(), func(k string) bool { return strings.HasPrefix(k, key+".") })
}

func unknownKey(key string) error {
	guess := ""
	if like := KeysLike(key); len(like) > 0 {
		guess = "did you mean " + limits.List(like) + "? "
	}
	return fmt.Errorf("unknown key %q: %s`tengen config show` lists all", key, guess)
}

// aliases are names of keys in other programs.
var aliases = map[string]string{
	"lr": "train.learning_rate", "weight_decay": "train.l2", "cpuct": "search.c_init", "c_puct": "search.c_init",
	"gpu": "compute.device", "use_gpu": "compute.device", "cuda": "compute.device",
}

// KeysLike returns the keys that a name may stand for: those of KeysNamed, else one with this name in other programs, else the
// nearest, or section, else those whose names contain the name or are contained in it. It returns nil if none is like it.
func KeysLike(name string) (keys []string) {
	name = strings.ReplaceAll(strings.ToLower(name), "-", "_")
	last := func(key string) string { return key[strings.LastIndexByte(key, '.')+1:] }
	if keys = KeysNamed(name); len(keys) > 0 {
		return keys
	}
	if key := aliases[last(name)]; key != "" {
		return []string{key}
	}
	words := ConfigKeys()
	for _, k := range configKeys() {
		section, _, _ := strings.Cut(k, ".")
		words = append(words, section, last(k))
	}
	if near := engine.Nearest(name, words); isSection(near) {
		return []string{near}
	} else if near != "" {
		return KeysNamed(near)
	}
	short := last(name)
	for _, k := range configKeys() {
		if len(short) > 3 && (strings.Contains(last(k), short) || len(last(k)) > 3 && strings.Contains(short, last(k))) {
			keys = append(keys, k)
		}
	}
	return keys
}

// KeysNamed returns the keys that a name stands for: the key itself, or those that have the name in their section. Hyphens
// count as underscores.
func KeysNamed(name string) (keys []string) {
	name = strings.ReplaceAll(strings.ToLower(name), "-", "_")
	for _, key := range configKeys() {
		if key == name {
			return []string{key}
		}
		if strings.HasSuffix(key, "."+name) {
			keys = append(keys, key)
		}
	}
	return keys
}

// ConfigKeys returns all keys in the order of the file.
func ConfigKeys() []string { return slices.Clone(configKeys()) }

var configKeys = sync.OnceValue(func() (keys []string) {
	for _, s := range DefaultConfig().Settings() {
		keys = append(keys, s.Key)
	}
	return keys
})

// SearchWith returns a function that sets a model's search constants to c's values for the given keys. Keys of other
// sections do not count. Without search keys, SearchWith returns nil.
func (c Config) SearchWith(given []string) func(trained mcts.Config) mcts.Config {
	given = slices.DeleteFunc(slices.Clone(given), func(key string) bool { return !strings.HasPrefix(key, "search.") })
	if len(given) == 0 {
		return nil
	}
	return func(trained mcts.Config) mcts.Config {
		all := Config{Search: trained}
		from, to := c.byKey(), all.byKey()
		for _, key := range given {
			to[key].Value.Set(from[key].Value)
		}
		return all.Search
	}
}

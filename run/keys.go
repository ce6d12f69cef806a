package run

import (
	"fmt"
	"slices"
	"strings"

	"tengen/engine"
	"tengen/internal/limits"
)

// ConfigKeys returns all keys in the order of the file.
func ConfigKeys() (keys []string) {
	for _, f := range new(Config).fields() {
		keys = append(keys, f.Key)
	}
	return keys
}

func isSection(key string) bool {
	return slices.ContainsFunc(ConfigKeys(), func(k string) bool { return strings.HasPrefix(k, key+".") })
}

func unknownKey(key string) error {
	guess := ""
	if like := keysLike(key); len(like) > 0 {
		guess = "did you mean " + limits.List(like) + "? "
	}
	return fmt.Errorf("unknown key %q: %s`tengen config show` lists all", key, guess)
}

// keysLike returns the section or the keys that a name nearly stands for. A key stands for itself, and so does what
// follows its section.
func keysLike(name string) (keys []string) {
	last := func(key string) string { return key[strings.LastIndexByte(key, '.')+1:] }
	var words []string
	for _, key := range ConfigKeys() {
		section, _, _ := strings.Cut(key, ".")
		words = append(words, key, section, last(key))
	}
	near := engine.Nearest(name, words)
	if isSection(near) {
		return []string{near}
	}
	for _, key := range ConfigKeys() {
		if near != "" && (near == key || near == last(key)) {
			keys = append(keys, key)
		}
	}
	return keys
}

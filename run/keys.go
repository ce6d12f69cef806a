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

// aliases are names of keys in other programs.
var aliases = map[string]string{
	"lr": "train.learning_rate", "weight_decay": "train.l2", "cpuct": "search.c_init", "c_puct": "search.c_init",
	"gpu": "compute.device", "use_gpu": "compute.device", "cuda": "compute.device",
}

// keysLike returns the keys that a name may stand for, nil if there are none. It tries in turn the keys of keysNamed,
// the key that other programs call so, the nearest key or section, and the keys that contain the name or are contained
// in it.
func keysLike(name string) (keys []string) {
	name = strings.ReplaceAll(strings.ToLower(name), "-", "_")
	last := func(key string) string { return key[strings.LastIndexByte(key, '.')+1:] }
	if keys = keysNamed(name); len(keys) > 0 {
		return keys
	}
	if key := aliases[last(name)]; key != "" {
		return []string{key}
	}
	words := ConfigKeys()
	for _, k := range ConfigKeys() {
		section, _, _ := strings.Cut(k, ".")
		words = append(words, section, last(k))
	}
	if near := engine.Nearest(name, words); isSection(near) {
		return []string{near}
	} else if near != "" {
		return keysNamed(near)
	}
	short := last(name)
	for _, k := range ConfigKeys() {
		if len(short) > 3 && (strings.Contains(last(k), short) || len(last(k)) > 3 && strings.Contains(short, last(k))) {
			keys = append(keys, k)
		}
	}
	return keys
}

// keysNamed returns the keys that a name stands for: the key itself, or those that have the name in their section.
// Hyphens count as underscores.
func keysNamed(name string) (keys []string) {
	name = strings.ReplaceAll(strings.ToLower(name), "-", "_")
	for _, key := range ConfigKeys() {
		if key == name {
			return []string{key}
		}
		if strings.HasSuffix(key, "."+name) {
			keys = append(keys, key)
		}
	}
	return keys
}

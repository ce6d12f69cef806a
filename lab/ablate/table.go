package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"tengen/run"
)

type table struct {
	Base     string    `yaml:"base"` // relative to the table's folder
	Variants []variant `yaml:"variants"`

	base []byte // content of Base
}

// variant is the base with changed keys.
type variant struct {
	Name string   `yaml:"name"` // names its files
	Set  []string `yaml:"set"`  // key=value
}

var base = variant{Name: "base"}

var goodName = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

// readTable reads and checks a table. It keeps the variants in only, or all if only is nil.
func readTable(file string, only []string) (*table, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	t := new(table)
	d := yaml.NewDecoder(bytes.NewReader(content))
	d.KnownFields(true)
	if err := d.Decode(t); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if t.base, err = os.ReadFile(filepath.Join(filepath.Dir(file), t.Base)); err != nil {
		return nil, fmt.Errorf("%s: base: %w", file, err)
	}
	names := map[string]bool{}
	for _, v := range t.all() {
		if !goodName.MatchString(v.Name) || names[v.Name] {
			return nil, fmt.Errorf("%s: variant %q: a name must be unique, not %s, and have only lower-case letters, digits and -", file, v.Name, base.Name)
		}
		names[v.Name] = true
		if _, err := t.config(v, 1); err != nil {
			return nil, fmt.Errorf("%s: variant %s: %w", file, v.Name, err)
		}
	}
	for _, name := range only {
		if !names[name] {
			return nil, fmt.Errorf("%s has no variant %q", file, name)
		}
	}
	if only != nil {
		t.Variants = slices.DeleteFunc(t.Variants, func(v variant) bool { return !slices.Contains(only, v.Name) })
	}
	return t, nil
}

func (t *table) all() []variant { return append([]variant{base}, t.Variants...) }

func (t *table) config(v variant, seed uint64) (run.Config, error) {
	c, err := run.ParseConfig(t.base)
	if err != nil {
		return c, err
	}
	values := map[string]any{}
	for _, assignment := range v.Set {
		key, text, ok := strings.Cut(assignment, "=")
		if !ok {
			return c, fmt.Errorf("%s: write key=value", assignment)
		}
		key = strings.ToLower(key)
		if values[key], err = run.ParseValue(key, text); err != nil {
			return c, fmt.Errorf("%s: %w", assignment, err)
		}
	}
	c = c.With(values)
	c.Seed = seed
	return c, c.Validate()
}

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-viper/mapstructure/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/viper"
	"go.yaml.in/yaml/v3"
)

// configFlags are the flags of the commands that read a configuration.
type configFlags struct {
	file string
	set  []string
}

// defaultConfigFile is read when --config is not given and it exists.
const defaultConfigFile = "config.yaml"

// register adds the flags to cmd. fallback says which file is read when --config is not given, empty for none.
func (f *configFlags) register(cmd *cobra.Command, fallback string) {
	usage := "configuration `file`"
	if fallback != "" {
		usage += " (default " + fallback + ", if there is one)"
	}
	cmd.Flags().StringVar(&f.file, "config", "", usage)
	cmd.Flags().StringArrayVar(&f.set, "set", nil, "`key=value` that overrides the file, such as selfplay.workers=2; may be repeated")
}

// load returns the configuration in effect: flag before environment (TENGEN_SELFPLAY_WORKERS) before file before default.
// fallback is the file to read when --config is not given and the file exists.
func (f *configFlags) load(fallback string) (Config, error) {
	cfg, err := f.read(fallback)
	if err == nil {
		err = cfg.Validate()
	}
	if err != nil {
		return Config{}, usageError{err}
	}
	return cfg, nil
}

func (f *configFlags) read(fallback string) (Config, error) {
	v := newViper()
	name := f.file
	if name == "" {
		if _, err := os.Stat(fallback); err == nil {
			name = fallback
		}
	}
	if name != "" {
		content, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			return Config{}, fmt.Errorf("there is no configuration file %s: `tengen config init` writes one", name)
		} else if err != nil {
			return Config{}, fmt.Errorf("cannot read the configuration: %w", err)
		}
		if err := readYAML(v, content); err != nil {
			return Config{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	if err := setFromEnvironment(v); err != nil {
		return Config{}, err
	}
	if err := f.setFromFlags(v); err != nil {
		return Config{}, err
	}
	return decode(v)
}

// parseConfig reads the content of a configuration file, over the defaults.
func parseConfig(content []byte) (Config, error) {
	v := newViper()
	if err := readYAML(v, content); err != nil {
		return Config{}, err
	}
	return decode(v)
}

func newViper() *viper.Viper {
	v := viper.New()
	v.SetConfigType("yaml")
	return v
}

// readYAML takes in the content of a file.
func readYAML(v *viper.Viper, content []byte) error {
	err := v.ReadConfig(bytes.NewReader(content))
	var malformed viper.ConfigParseError
	if errors.As(err, &malformed) {
		return malformed.Unwrap()
	}
	if err != nil {
		return err
	}
	keys := v.AllKeys()
	slices.Sort(keys)
	for _, key := range keys {
		if err := checkKey(key, v.Get(key)); err != nil {
			return err
		}
	}
	return nil
}

// decode returns what v holds, over the defaults.
func decode(v *viper.Viper) (Config, error) {
	cfg := defaultConfig()
	err := v.UnmarshalExact(&cfg, strictly)
	var field *mapstructure.DecodeError
	if errors.As(err, &field) {
		return Config{}, fmt.Errorf("%s is %w", field.Name(), field.Unwrap())
	}
	return cfg, err
}

// strictly makes the decoder refuse what it would otherwise bend into shape.
func strictly(d *mapstructure.DecoderConfig) {
	d.WeaklyTypedInput = false
	d.ZeroFields = true
	d.DecodeHook = func(_, to reflect.Type, value any) (any, error) {
		allowed, ok := fits(to.Kind(), reflect.ValueOf(value))
		if ok {
			return value, nil
		}
		if text, isText := value.(string); isText {
			value = strconv.Quote(text)
		}
		return nil, fmt.Errorf("%v, allowed are %s", value, allowed)
	}
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

func (f *configFlags) setFromFlags(v *viper.Viper) error {
	for _, assignment := range f.set {
		key, text, ok := strings.Cut(assignment, "=")
		if !ok {
			return fmt.Errorf("--set %s: write key=value", assignment)
		}
		if err := set(v, key, text); err != nil {
			return fmt.Errorf("--set %s: %w", assignment, err)
		}
	}
	return nil
}

func setFromEnvironment(v *viper.Viper) error {
	for _, key := range configKeys() {
		name := "TENGEN_" + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
		if text := os.Getenv(name); text != "" {
			if err := set(v, key, text); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return nil
}

// set gives a key the value that text would have in a file.
func set(v *viper.Viper, key, text string) error {
	key = strings.ToLower(key)
	var value any
	if err := yaml.Unmarshal([]byte(text), &value); err != nil {
		return fmt.Errorf("%q is no value: %w", text, err)
	}
	if err := checkKey(key, value); err != nil {
		return err
	}
	v.Set(key, value)
	return nil
}

// checkKey refuses a key that no configuration has, with a list of those beside it, and a key without a value.
func checkKey(key string, value any) error {
	known := configKeys()
	if slices.Contains(known, key) {
		if _, section := value.(map[string]any); section || value == nil {
			return fmt.Errorf("%s has no value: give it one, or leave it out for the default", key)
		}
		return nil
	}
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

package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/viper"

	"tengen/engine"
	"tengen/players"
	"tengen/run"
)

// configFlags are the flags of the commands that read a configuration.
type configFlags struct {
	file string
	set  []string
}

// defaultConfigFile is read when --config is not given and it exists.
const defaultConfigFile = "config.yaml"

// defaultConfig is what "config init" writes.
var defaultConfig []byte

// register adds the flags to cmd. fallback says which file is read when --config is not given, empty for none.
func (f *configFlags) register(cmd *cobra.Command, fallback string) {
	usage := "configuration `file`"
	if fallback != "" {
		usage += " (default " + fallback + ", if there is one)"
	}
	cmd.Flags().StringVar(&f.file, "config", "", usage)
	cmd.Flags().StringArrayVar(&f.set, "set", nil, "`key=value` that overrides the file, such as selfplay.workers=2; may be repeated")
	complete(cmd, "set", func(string) (words []string) {
		for _, key := range run.ConfigKeys() {
			words = append(words, key+"=")
		}
		return words
	})
	if err := cmd.MarkFlagFilename("config", "yaml", "yml"); err != nil {
		panic(err) // there is no such flag
	}
}

// load returns the configuration in effect: flag before environment (TENGEN_SELFPLAY_WORKERS) before file before default.
// fallback is the file to read when --config is not given and the file exists.
func (f *configFlags) load(fallback string) (run.Config, error) {
	cfg, _, err := f.read(fallback)
	return cfg, err
}

// read is load, and returns as well what is given, by the names of the keys. All errors are InputErrors.
func (f *configFlags) read(fallback string) (run.Config, map[string]any, error) {
	cfg, settings := run.DefaultConfig(), map[string]any{}
	v, err := f.gather(fallback)
	if err == nil {
		for _, key := range v.AllKeys() {
			settings[key] = v.Get(key)
		}
		err = cfg.Merge(settings)
	}
	if err == nil {
		err = cfg.Validate()
	}
	if err != nil {
		return cfg, nil, engine.InputError{Err: err}
	}
	return cfg, settings, nil
}

// gather collects what is given, each value checked by itself so that an error says where it is from.
func (f *configFlags) gather(fallback string) (*viper.Viper, error) {
	v := viper.New()
	name := f.file
	if name == "" && fileExists(fallback) {
		name = fallback
	}
	if name != "" {
		content, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("there is no configuration file %s: `tengen config init` writes one", name)
		} else if err != nil {
			return nil, fmt.Errorf("cannot read the configuration: %w", err)
		}
		_, settings, err := run.ParseSettings(content)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for key, value := range settings {
			v.SetDefault(key, value)
		}
	}
	for _, key := range run.ConfigKeys() {
		name := variable(key)
		if text := os.Getenv(name); text != "" {
			if err := set(v, key, text); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	for _, assignment := range f.set {
		key, text, ok := strings.Cut(assignment, "=")
		if !ok {
			return nil, fmt.Errorf("--set %s: write key=value", assignment)
		}
		if err := set(v, key, text); err != nil {
			return nil, fmt.Errorf("--set %s: %w", assignment, err)
		}
	}
	return v, nil
}

// variable is what sets a key in the environment.
func variable(key string) string {
	return "TENGEN_" + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

// set gives a key the value that text would have in a file.
func set(v *viper.Viper, key, text string) error {
	scratch := run.DefaultConfig()
	value, err := scratch.SetText(key, text)
	if err == nil {
		v.Set(key, value)
	}
	return err
}

// players returns the engine of the game that --game, a player's model, or a configuration file given by name tells, in
// this order, and how its players are made: with the search constants of their models, but for those that are given.
func (f *configFlags) players(game string, specs ...players.Spec) (engine.Game, engine.PlayerOptions, error) {
	cfg, settings, err := f.read("")
	if err != nil {
		return nil, engine.PlayerOptions{}, err
	}
	e, err := engine.OpenFor(game, specs...)
	if errors.As(err, new(engine.InputError)) && game == "" && f.file != "" {
		e, err = engine.Open(cfg.Game)
	}
	return e, engine.PlayerOptions{Search: run.SearchWith(settings)}, err
}

func fileExists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

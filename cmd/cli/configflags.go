package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
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

// load returns the configuration in effect. fallback is the file to read when --config is not given and the file exists.
func (f *configFlags) load(fallback string) (run.Config, error) {
	cfg, _, err := f.read(run.DefaultConfig(), fallback)
	return cfg, err
}

// read returns base with the keys that are given, and their names: flag before environment (TENGEN_SELFPLAY_WORKERS) before file.
// fallback is the one of load. All errors are InputErrors.
func (f *configFlags) read(base run.Config, fallback string) (cfg run.Config, given []string, err error) {
	cfg = base
	v, err := f.gather(fallback)
	for _, key := range run.ConfigKeys() {
		if err == nil && v.IsSet(key) {
			given = append(given, key)
			if err = cfg.Set(key, v.Get(key)); err != nil {
				err = fmt.Errorf("%s: %w", variable(key), err) // the file and --set have been checked
			}
		}
	}
	if err == nil {
		err = cfg.Validate()
	}
	if err != nil {
		return cfg, nil, engine.InputError{Err: err}
	}
	return cfg, given, nil
}

// gather reads the file, the environment and --set, and checks all values but those of the environment.
func (f *configFlags) gather(fallback string) (*viper.Viper, error) {
	v := viper.New()
	v.SetConfigType("yaml")
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
		if _, err = run.ParseConfig(content); err == nil {
			err = v.ReadConfig(bytes.NewReader(content))
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	var variables []string
	for _, key := range run.ConfigKeys() {
		variables = append(variables, variable(key))
		if err := v.BindEnv(key, variable(key)); err != nil {
			return nil, err
		}
	}
	for _, entry := range os.Environ() {
		name, value, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(name, "TENGEN_") && value != "" && !slices.Contains(variables, name) {
			return nil, fmt.Errorf("%s sets no key: did you mean %s? Otherwise unset it", name, run.Nearest(name, variables))
		}
	}
	for _, assignment := range f.set {
		key, text, ok := strings.Cut(assignment, "=")
		if !ok {
			return nil, fmt.Errorf("--set %s: write key=value", assignment)
		}
		if err := new(run.Config).Set(key, text); err != nil {
			return nil, fmt.Errorf("--set %s: %w", assignment, err)
		}
		v.Set(key, text)
	}
	return v, nil
}

// variable is the environment variable that sets a key.
func variable(key string) string {
	return "TENGEN_" + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

// players returns the engine of the game that --game, a player's model, or a configuration file given by name tells, in
// this order, and how its players are made: with the search constants of their models, but for those that are given.
func (f *configFlags) players(game string, specs ...players.Spec) (engine.Game, engine.PlayerOptions, error) {
	cfg, given, err := f.read(run.DefaultConfig(), "")
	if err != nil {
		return nil, engine.PlayerOptions{}, err
	}
	e, err := engine.OpenFor(game, specs...)
	if errors.As(err, new(engine.InputError)) && game == "" && f.file != "" {
		e, err = engine.Open(cfg.Game)
	}
	return e, engine.PlayerOptions{Search: cfg.SearchWith(given)}, err
}

func fileExists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

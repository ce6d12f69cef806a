package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/viper"

	"tengen/engine"
	"tengen/run"
)

type configFlags struct {
	file   string
	set    []string
	cmd    *cobra.Command
	models map[string]run.ModelID // of the players, by path
}

// defaultConfigFile is read if it exists and --config is not given.
const defaultConfigFile = "config.yaml"

// register adds the flags to cmd. fallback is the file to read without --config, or empty.
func (f *configFlags) register(cmd *cobra.Command, fallback string) {
	f.cmd = cmd
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
		panic(err) // the flag exists
	}
}

// load returns the configuration in effect, which is valid, and the given values. fallback is the file to read without
// --config, if it exists. All errors are InputErrors.
func (f *configFlags) load(fallback string) (cfg run.Config, given map[string]any, err error) {
	if given, err = f.given(fallback); err != nil {
		return cfg, nil, err
	}
	cfg = run.DefaultConfig().With(given)
	if err := cfg.Validate(); err != nil {
		return cfg, nil, engine.InputError{Err: err}
	}
	return cfg, given, nil
}

// given returns the values of the keys that are given by --set, else by the environment (TENGEN_SELFPLAY_WORKERS), else
// by the file. fallback and errors are as for load.
func (f *configFlags) given(fallback string) (map[string]any, error) {
	v := viper.New() // a later value of a key replaces an earlier one
	if err := cmp.Or(f.addFile(v, fallback), addEnvironment(v), f.addAssignments(v)); err != nil {
		return nil, engine.InputError{Err: err}
	}
	values := map[string]any{}
	for _, key := range run.ConfigKeys() {
		if value := v.Get(key); value != nil {
			values[key] = value
		}
	}
	return values, nil
}

func (f *configFlags) addFile(v *viper.Viper, fallback string) error {
	name := cmp.Or(f.file, fallback)
	if name == "" {
		return nil
	}
	content, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		if f.file == "" {
			return nil
		}
		return fmt.Errorf("there is no configuration file %s: `tengen config init` writes one", name)
	}
	if err != nil {
		return fmt.Errorf("cannot read the configuration: %w", err)
	}
	values, err := run.ParseValues(content)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return v.MergeConfigMap(values)
}

// addEnvironment adds the values of variables.
func addEnvironment(v *viper.Viper) error {
	keys := map[string]string{} // by variable
	for _, key := range run.ConfigKeys() {
		keys[variable(key)] = key
	}
	for _, entry := range os.Environ() {
		name, text, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, "TENGEN_") || text == "" {
			continue
		}
		if keys[name] == "" {
			return fmt.Errorf("%s sets no key: unset it%s", name, engine.DidYouMean(name, slices.Sorted(maps.Keys(keys))))
		}
		value, err := run.ParseValue(keys[name], text)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		v.Set(keys[name], value)
	}
	return nil
}

func (f *configFlags) addAssignments(v *viper.Viper) error {
	for _, assignment := range f.set {
		key, text, ok := strings.Cut(assignment, "=")
		if !ok {
			return fmt.Errorf("--set %s: write key=value", assignment)
		}
		value, err := run.ParseValue(key, text)
		if err != nil {
			return fmt.Errorf("--set %s: %w", assignment, err)
		}
		v.Set(key, value)
	}
	return nil
}

func variable(key string) string {
	return "TENGEN_" + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

func newConfigShow() *cobra.Command {
	var diff bool
	cmd := newConfigReader("show", "Print the configuration in effect", func(cmd *cobra.Command, cfg run.Config) error {
		text := cfg.YAML()
		if diff {
			if text = cfg.ChangedYAML(); len(text) == 0 {
				text = []byte("# every key has its default\n")
			}
		}
		_, err := cmd.OutOrStdout().Write(text)
		return err
	})
	cmd.Flags().BoolVar(&diff, "diff", false, "print only what differs from the defaults")
	return cmd
}

func newConfigReader(name, short string, do func(*cobra.Command, run.Config) error) *cobra.Command {
	var flags configFlags
	cmd := &cobra.Command{
		Use:   name,
		Short: short,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, _, err := flags.load(defaultConfigFile)
			if err != nil {
				return err
			}
			return do(cmd, cfg)
		},
	}
	flags.register(cmd, defaultConfigFile)
	return cmd
}

func validateConfig(cmd *cobra.Command, cfg run.Config) error {
	e, err := engine.Open(cfg.Game)
	if err != nil {
		return err
	}
	if err := run.CheckMemory(cfg); err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "The configuration is valid: %s, %s\n", e.Info().Name, cfg.Network())
	return err
}

func newConfigInit() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "init [FILE]",
		Short: "Write a file with every key, its default and what it does",
		RunE: func(cmd *cobra.Command, args []string) error {
			name := append(args, defaultConfigFile)[0]
			return writeFile(cmd, name, "every key, with its default", whole(run.DefaultFile()))
		},
	}
	forceFlag(cmd)
	return cmd
}

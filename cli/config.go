package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/viper"

	"tengen/engine"
	"tengen/internal/printable"
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

// given returns the values of the keys that are given by --set, else by the environment (TENGEN_SELFPLAY_WORKERS), else by
// the file. fallback and errors are as for load.
func (f *configFlags) given(fallback string) (map[string]any, error) {
	v := viper.New() // finds the source that counts
	if err := cmp.Or(f.addFile(v, fallback), addEnvironment(v), f.addAssignments(v)); err != nil {
		return nil, engine.InputError{Err: err}
	}
	values := map[string]any{}
	for _, key := range run.ConfigKeys() {
		switch value := v.Get(key).(type) {
		case nil:
		case string: // of a variable, or parsed already, which parses to itself
			var err error
			if values[key], err = run.ParseValue(key, value); err != nil {
				return nil, engine.InputErrorf("%s: %w", variable(key), err)
			}
		default:
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
		if _, unknown := engine.Open(name); unknown == nil {
			return fmt.Errorf("--config %s: %[1]s is a game: write --set game=%[1]s", name)
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

// addEnvironment binds a variable to each key. Their texts are not parsed yet.
func addEnvironment(v *viper.Viper) error {
	var variables []string
	for _, key := range run.ConfigKeys() {
		variables = append(variables, variable(key))
		v.MustBindEnv(key, variable(key))
	}
	for _, entry := range os.Environ() {
		name, value, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(name, "TENGEN_") && value != "" && !slices.Contains(variables, name) {
			return fmt.Errorf("%s sets no key: unset it%s", name, engine.DidYouMean(name, variables))
		}
	}
	return nil
}

func (f *configFlags) addAssignments(v *viper.Viper) error {
	for _, assignment := range f.set {
		key, text, ok := strings.Cut(assignment, "=")
		if !ok {
			return fmt.Errorf("--set %s: write key=value", assignment)
		}
		if keys := run.KeysNamed(key); len(keys) == 1 && !strings.EqualFold(keys[0], key) {
			return fmt.Errorf("--set %s: write --set %s", assignment, printable.Word(keys[0]+"="+text))
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
		Args:  func(cmd *cobra.Command, args []string) error { return noArgs(cmd, args[min(1, len(args)):]) },
		RunE: func(cmd *cobra.Command, args []string) error {
			name := append(args, defaultConfigFile)[0]
			return writeFile(cmd, name, "every key, with its default", whole(run.DefaultFile()))
		},
	}
	forceFlag(cmd)
	return cmd
}

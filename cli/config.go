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

// load returns the configuration in effect. fallback is the file to read without --config, if it exists.
func (f *configFlags) load(fallback string) (run.Config, error) {
	cfg, _, err := f.read(run.DefaultConfig(), fallback)
	return cfg, err
}

// read returns base with the given keys set, and their names. Flags override the environment (TENGEN_SELFPLAY_WORKERS),
// which overrides the file. fallback is as for load. All errors are InputErrors.
func (f *configFlags) read(base run.Config, fallback string) (cfg run.Config, given []string, err error) {
	cfg = base
	if given, err = f.change(&cfg, fallback); err != nil {
		return cfg, nil, engine.InputError{Err: err}
	}
	return cfg, given, nil
}

func (f *configFlags) change(cfg *run.Config, fallback string) (given []string, err error) {
	v, err := f.gather(fallback)
	if err != nil {
		return nil, err
	}
	for _, key := range run.ConfigKeys() {
		if !v.IsSet(key) {
			continue
		}
		if err := cfg.Set(key, v.Get(key)); err != nil {
			return nil, fmt.Errorf("%s: %w", variable(key), err) // file and --set are checked already
		}
		given = append(given, key)
	}
	return given, cfg.Validate()
}

// gather reads the file, the environment and --set. It checks all values except the environment's.
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
			if _, unknown := engine.Open(name); unknown == nil {
				return nil, fmt.Errorf("--config %s: %[1]s is a game: write --set game=%[1]s", name)
			}
			return nil, fmt.Errorf("there is no configuration file %s: `tengen config init` writes one", name)
		}
		if err != nil {
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
			return nil, fmt.Errorf("%s sets no key: unset it%s", name, engine.DidYouMean(name, variables))
		}
	}
	for _, assignment := range f.set {
		key, text, ok := strings.Cut(assignment, "=")
		if !ok {
			return nil, fmt.Errorf("--set %s: write key=value", assignment)
		}
		if keys := run.KeysNamed(key); len(keys) == 1 && !strings.EqualFold(keys[0], key) {
			return nil, fmt.Errorf("--set %s: write --set %s", assignment, printable.Word(keys[0]+"="+text))
		}
		if err := new(run.Config).Set(key, text); err != nil {
			return nil, fmt.Errorf("--set %s: %w", assignment, err)
		}
		v.Set(key, text)
	}
	return v, nil
}

func variable(key string) string {
	return "TENGEN_" + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

func fileExists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

func newConfig() *cobra.Command {
	cmd := &cobra.Command{Use: "config", Short: "Show, check or write a configuration"}
	var diff bool
	show := newConfigReader("show", "Print the configuration in effect", func(cmd *cobra.Command, cfg run.Config) error {
		text := cfg.YAML()
		if diff {
			if text = cfg.ChangedYAML(); len(text) == 0 {
				text = []byte("# every key has its default\n")
			}
		}
		_, err := cmd.OutOrStdout().Write(text)
		return err
	})
	show.Flags().BoolVar(&diff, "diff", false, "print only what differs from the defaults")
	cmd.AddCommand(
		show,
		newConfigReader("validate", "Check a configuration", validateConfig),
		newConfigInit(),
	)
	return cmd
}

func newConfigReader(name, short string, do func(*cobra.Command, run.Config) error) *cobra.Command {
	var flags configFlags
	cmd := &cobra.Command{
		Use:   name,
		Short: short,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := flags.load(defaultConfigFile)
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
	var out outputs
	cmd := &cobra.Command{
		Use:   "init [FILE]",
		Short: "Write a file with every key, its default and what it does",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return noArgs(cmd, args[1:])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			name := defaultConfigFile
			if len(args) == 1 {
				name = args[0]
			}
			return out.write(cmd, name, "every key, with its default", whole(run.DefaultFile()))
		},
	}
	out.register(cmd)
	return cmd
}

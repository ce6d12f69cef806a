package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"tengen/engine"
	"tengen/run"
)

func newConfig() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show, check or write a configuration",
		Args:  noArgs,
		RunE:  showHelp,
	}
	cmd.AddCommand(newConfigShow(), newConfigValidate(), newConfigInit())
	return cmd
}

func newConfigShow() *cobra.Command {
	var flags configFlags
	cmd := &cobra.Command{
		Use:   "show",
		Short: "Print the configuration in effect",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := flags.load(defaultConfigFile)
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(cfg.YAML())
			return err
		},
	}
	flags.register(cmd, defaultConfigFile)
	return cmd
}

func newConfigValidate() *cobra.Command {
	var flags configFlags
	cmd := &cobra.Command{
		Use:   "validate",
		Short: "Check a configuration",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := flags.load(defaultConfigFile)
			if err != nil {
				return err
			}
			e, err := engine.Open(cfg.Game)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "The configuration is valid: %s, %s\n", e.Info().Name, cfg.Network())
			return err
		},
	}
	flags.register(cmd, defaultConfigFile)
	return cmd
}

func newConfigInit() *cobra.Command {
	return &cobra.Command{
		Use:   "init [FILE]",
		Short: "Write a configuration file with every key, its default and what it does",
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
			if err := run.WriteDefaultConfig(name); err != nil {
				return err
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "wrote %s\n", name)
			return err
		},
	}
}

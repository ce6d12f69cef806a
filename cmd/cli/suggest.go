package cli

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tengen/engine"
	"tengen/internal/limits"
	"tengen/internal/printable"
	"tengen/players"
	"tengen/run"
	"tengen/train/checkpoint"
)

// suggestion returns the command line that gives arguments by flags, or "" if no flag takes one of them.
func suggestion(cmd *cobra.Command, args []string) string {
	line, used := cmd.CommandPath(), map[string]bool{}
	for _, arg := range args {
		free := func(name string) bool {
			f := cmd.Flags().Lookup(name)
			return f != nil && !f.Changed && !used[name]
		}
		name, value := flagFor(arg, free)
		if name == "" {
			return ""
		}
		used[name] = name != "set"
		line += " --" + name + " " + printable.Word(value)
	}
	return line
}

// flagFor returns the flag that an argument lacks, of those that are free, and its value.
func flagFor(arg string, free func(name string) bool) (name, value string) {
	ext := filepath.Ext(arg)
	key, text, assigns := strings.Cut(arg, "=")
	_, unknown := engine.Open(arg)
	spec, isSpec := specOf(arg)
	switch {
	case free("config") && (ext == ".yaml" || ext == ".yml"):
		return "config", arg
	case free("set") && assigns && len(run.KeysNamed(key)) == 1:
		return "set", run.KeysNamed(key)[0] + "=" + text
	case free("run") && checkpoint.IsRun(arg):
		return "run", arg
	case free("level") && slices.Contains(run.Levels, arg):
		return "level", arg
	case isSpec && free("player") && !free("level"): // play has both, and needs a game first
		return "player", spec
	case unknown == nil && free("game"):
		return "game", arg
	case isSpec && free("against"):
		return "against", spec
	case isSpec && free("opponent"):
		return "opponent", spec
	case unknown == nil && free("set") && !free("player"):
		return "set", "game=" + arg
	}
	return "", ""
}

// specOf returns the SPEC for a text that is one, or names a model.
func specOf(text string) (spec string, ok bool) {
	if s, err := players.ParseSpec(text); err == nil {
		return s.String(), true
	}
	known := slices.Concat(run.ModelsHere(), run.PretrainedModels())
	return string(players.KindNet) + ":" + text, checkpoint.IsRun(text) || slices.Contains(known, text)
}

// parseSpec parses a player's SPEC. The error about a model's name says how to write its SPEC.
func parseSpec(text string) (players.Spec, error) {
	s, err := players.ParseSpec(text)
	if err != nil {
		if spec, ok := specOf(text); ok {
			err = usageErrorf("%q is a network: write %s", text, spec)
		}
	}
	return s, err
}

// setInstead returns the --set options for a flag that cmd lacks, or "" if no key has its name. args is the command line.
func setInstead(cmd *cobra.Command, unknown *pflag.NotExistError, args []string) string {
	name := unknown.GetSpecifiedName()
	if cmd.Flags().Lookup("set") == nil {
		return ""
	}
	value := "VALUE"
	for i, arg := range args {
		if text, ok := strings.CutPrefix(arg, "--"+name+"="); ok {
			value = text
		} else if arg == "--"+name && i+1 < len(args) {
			value = args[i+1]
		}
	}
	return setOptions(run.KeysNamed(name), value)
}

// setOptions returns the options that set one of the keys, "" for none.
func setOptions(keys []string, value string) string {
	var options []string
	for _, key := range keys {
		options = append(options, "--set "+printable.Word(key+"="+value))
	}
	return limits.List(options)
}

package cli

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tengen/engine"
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
			return f != nil && (name == "set" || !f.Changed && !used[name])
		}
		name, value := flagFor(arg, free)
		if name == "" {
			return ""
		}
		used[name] = true
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
	case free("set") && assigns && len(run.KeysNamed(key)) == 1:
		return "set", run.KeysNamed(key)[0] + "=" + text
	case free("config") && (ext == ".yaml" || ext == ".yml"):
		return "config", arg
	case free("run") && checkpoint.IsRun(arg):
		return "run", arg
	case free("level") && slices.Contains(engine.Levels, arg):
		return "level", arg
	case isSpec && free("player") && !free("level"): // play has both, and needs a game first
		return "player", spec
	case unknown == nil && free("game"):
		return "game", arg
	case isSpec && free("against"):
		return "against", spec
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
	return "net:" + text, checkpoint.IsRun(text) || slices.Contains(append(engine.ModelsHere(), engine.PretrainedModels()...), text)
}

// parseSpec parses a player's SPEC. The error about a model's name says how to write its SPEC.
func parseSpec(text string) (players.Spec, error) {
	s, err := players.ParseSpec(text)
	if spec, ok := specOf(text); err != nil && ok {
		err = fmt.Errorf("%q is a network: write %s", text, spec)
	}
	return s, err
}

// flagInstead returns what to write for an unknown flag of the command line args: the key of its name, the flag or key
// that it is like, or the command's form, since it may stand for an argument. It returns "" if it knows nothing.
func flagInstead(cmd *cobra.Command, flag string, args []string) string {
	_, value, _ := strings.Cut(strings.Join(args, "="), "--"+flag+"=")
	value, _, _ = strings.Cut(value, "=")
	set := ""
	if keys := run.KeysLike(flag); len(keys) == 1 {
		set = suggestion(cmd, []string{keys[0] + "=" + cmp.Or(value, "VALUE")})
	}
	var flags []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { flags = append(flags, f.Name) })
	near := engine.Nearest(flag, flags)
	switch {
	case cmd.Name() == "serve" && flag == "listen":
		return "--http"
	case cmd.Flags().Lookup("http") != nil && flag == "port":
		return "--http 127.0.0.1:" + cmp.Or(value, "PORT")
	case set != "" && (near == "" || len(run.KeysNamed(flag)) == 1):
		return set
	case near != "":
		return "--" + near
	case strings.Contains(cmd.Use, " "):
		return cmd.UseLine()
	}
	return ""
}

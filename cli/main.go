// Package cli implements the program tengen. Each command has a file with its flags, one call and its output.
package cli

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tengen/engine"
	"tengen/internal/printable"
	"tengen/run/games"
)

// called is the name by which the program speaks of itself.
var called = "tengen"

// home is the first board of the program's own games, or "". It is the game of play and gtp unless another is named.
var home string

// Main runs this process's command line and ends the process. The program speaks of itself as name. more holds
// families of games that package games does not register.
func Main(name string, more ...engine.Family) {
	called = name
	debug.SetTraceback("crash") // a crash of the runtime ends with a signal: its usual status, 2, means a wrong command here
	engine.Register(more...)    // before the others, so lists begin with them
	if boards := engine.Boards(); len(boards) > 0 {
		home = boards[0]
	}
	games.Register()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	code := execute(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// Exit statuses.
const (
	exitOK    = 0
	exitError = 1 // the work failed
	exitUsage = 2 // the command line or the configuration is wrong
)

// usageErrorf returns an error about a flag, an argument, a SPEC or the configuration.
func usageErrorf(format string, a ...any) error {
	return engine.InputError{Err: fmt.Errorf(format, a...)}
}

// errInterrupted replaces context.Canceled after Ctrl-C.
var errInterrupted = errors.New("interrupted")

func execute(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	cmd := NewRoot()
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageErrorf("%w (see %s --help)", plainFlagError(cmd, err), cmd.CommandPath())
	})
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		plainUsages(cmd)
	}
	cmd.SetArgs(args)
	cmd.SetIn(in)
	cmd.SetOut(out)
	cmd.SetErr(errOut)
	cmd, err := cmd.ExecuteContextC(ctx)
	if err == nil {
		return exitOK
	}
	if errors.Is(err, context.Canceled) {
		err = errInterrupted
	}
	if log := logger(cmd); log != nil {
		log.Error(oneLine(err.Error()))
	} else {
		fmt.Fprintf(errOut, "%s: %s\n", called, oneLine(err.Error()))
	}
	if errors.As(err, new(engine.InputError)) {
		return exitUsage
	}
	return exitError
}

// oneLine joins the lines of an error's text and makes it printable, since it may come over the network. Commands of
// tengen begin with the program's own name.
func oneLine(text string) string {
	line := ""
	for part := range strings.Lines(text) {
		switch {
		case line == "":
		case strings.HasSuffix(line, ":"):
			line += " "
		default:
			line += "; "
		}
		line += strings.TrimSpace(part)
	}
	return printable.Text(strings.ReplaceAll(line, "`tengen ", "`"+called+" "), 2000)
}

// shown returns a path as it may be printed: a folder's name can hold a terminal's commands.
func shown(path string) string { return printable.Text(path, 500) }

func init() {
	// cobra's table of template functions is the process's, so commands that run side by side must not write to it.
	cobra.AddTemplateFunc("wrapped", func(f *pflag.FlagSet) string { return f.FlagUsagesWrapped(width(os.Stdout)) })
}

// NewRoot returns tengen's command with all commands below it.
func NewRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           called,
		Short:         "Train a board-game player on an ordinary computer",
		Version:       versionText(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetUsageTemplate(strings.NewReplacer(
		".LocalFlags.FlagUsages", "wrapped .LocalFlags", ".InheritedFlags.FlagUsages", "wrapped .InheritedFlags",
	).Replace(root.UsageTemplate()))
	root.SetVersionTemplate("{{.Version}}\n")
	const other = "Other"
	for _, g := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Train", []*cobra.Command{newTrain(),
			group("config", "Show, check or write a configuration",
				newConfigShow(), newConfigReader("validate", "Check a configuration", validateConfig), newConfigInit()),
			newWorker(),
			group("workers", "Manage a run's workers", newWorkersAdd(), newWorkersList(), newWorkersRevoke())}},
		{"Evaluate", []*cobra.Command{newEval(), newGrade(), newLadder()}},
		{"Play", []*cobra.Command{newPlay(), newServe(), newAnalyze(), newSolve()}},
		{"Data", []*cobra.Command{newInfo(),
			group("replay", "Inspect the games of a run",
				newReplayStats(), newReplayVerify(), newReplayShow(), newReplayExport(), newReplayRepair()),
			group("export", "Write charts, metrics or a network to files",
				newExportReport(), newExportPage(), newExportTensorboard(), newExportONNX())}},
		{"Programs", []*cobra.Command{newEnv(), newGomocup(), newGTP()}},
		{other, []*cobra.Command{newBench(), group("game", "Make a game, or check its rules", newGameNew(), newGameCheck()), newVersion(root.Version)}},
	} {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title + ":"})
		for _, cmd := range g.commands {
			cmd.GroupID = g.title
			root.AddCommand(cmd)
		}
	}
	root.SetHelpCommandGroupID(other)
	root.SetCompletionCommandGroupID(other)
	root.AddCommand( // the topics of help besides config, which is a command
		group("players", "How to name players: SPEC"),
		group("games", "How to name games"),
		group("positions", "How to write positions"),
		group("progress", "What train prints, and how to judge it"))
	root.InitDefaultHelpCmd()
	help, _, _ := root.Find([]string{"help"})
	help.Args = func(_ *cobra.Command, args []string) error {
		topic, rest, _ := root.Find(args)
		return noArgs(topic, rest)
	}
	root.InitDefaultCompletionCmd()
	completion, _, _ := root.Find([]string{"completion"})
	for _, cmd := range append(completion.Commands(), completion) {
		cmd.Args = nil // cobra's check does not return usage errors
	}
	finish(root)
	return root
}

// group returns a command that only has subcommands, or a help text.
func group(use, short string, subcommands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short}
	cmd.AddCommand(subcommands...)
	return cmd
}

// finish completes commands: they get their help texts, take the arguments that Use names before any flags, complete
// run directories, show help if they only have subcommands, and end soon after Ctrl-C.
func finish(cmd *cobra.Command) {
	setHelp(cmd)
	cmd.Flags().VisitAll(func(f *pflag.Flag) { f.Usage = strings.ReplaceAll(f.Usage, "tengen help", called+" help") })
	var names []string // of the arguments, optional ones in brackets
	for _, word := range strings.Fields(cmd.Use)[1:] {
		if strings.HasPrefix(strings.TrimPrefix(word, "["), "-") {
			break
		}
		names = append(names, word)
	}
	if cmd.Args == nil {
		cmd.Args = takes(names)
	}
	if len(names) > 0 && strings.HasPrefix(names[0], "DIR") {
		cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 && !slices.Contains(names, "DIR...") {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return engine.RunsHere(), cobra.ShellCompDirectiveDefault
		}
	}
	if !cmd.Runnable() && cmd.HasSubCommands() {
		cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	}
	if _, ok := cmd.Annotations[waits]; cmd.RunE != nil && !ok {
		cmd.RunE = hurried(cmd.RunE)
	}
	for _, sub := range cmd.Commands() {
		finish(sub)
	}
}

var command = regexp.MustCompile(`\btengen [a-z]+`)

//go:embed help
var helpTexts embed.FS

// setHelp reads a command's description and examples from help/NAME.txt, if the file exists. NAME is tengen for the
// program, else the command's path without the program, joined by hyphens. In the text, the program has its own name.
func setHelp(cmd *cobra.Command) {
	program, path, below := strings.Cut(cmd.CommandPath(), " ")
	name := "tengen"
	if below {
		name = strings.ReplaceAll(path, " ", "-")
	}
	text, err := helpTexts.ReadFile("help/" + name + ".txt")
	if err != nil {
		return // the command has only its Short line
	}
	games := "  " + strings.Join(engine.Families(), "\n  ")
	own := command.ReplaceAllStringFunc(strings.ReplaceAll(string(text), "{games}", games), func(line string) string {
		if c, _, err := cmd.Root().Find(strings.Fields(line)[1:]); err != nil || c == cmd.Root() {
			return line // "tengen" begins no command
		}
		return program + strings.TrimPrefix(line, "tengen")
	})
	long, examples, _ := strings.Cut(own, "Examples:\n")
	cmd.Long, cmd.Example = strings.TrimSpace(long), strings.TrimRight(examples, "\n")
}

// plainUsages removes the backquotes around the names of flags' values. Only help texts interpret them.
func plainUsages(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) { f.Usage = strings.ReplaceAll(f.Usage, "`", "") })
	for _, sub := range cmd.Commands() {
		plainUsages(sub)
	}
}

// takes returns a check for arguments of these names. [NAME] may be missing, NAME... stand for any number of at least
// one.
func takes(names []string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		several := false
		for i, name := range names {
			several = several || strings.HasSuffix(name, "...")
			if i >= len(args) && !strings.HasPrefix(name, "[") {
				return usageErrorf("%s is missing (see %s --help)", name, cmd.CommandPath())
			}
		}
		if several {
			return nil
		}
		return noArgs(cmd, args[min(len(names), len(args)):])
	}
}

// noArgs returns an error for arguments other than flags, and for unknown commands.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	what, way := "argument", ": write "+cmd.UseLine()
	if cmd.HasSubCommands() {
		what, way = "command", ""
		cmd.SuggestionsMinimumDistance = 2 // edits
		if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
			way = ", did you mean " + strings.Join(near, " or ") + "?"
		}
	}
	return usageErrorf("unknown %s %q%s (see %s --help)", what, args[0], way, cmd.CommandPath())
}

// plainFlagError adds the command's form to an unknown flag, since it may stand for an argument, and says what a flag
// takes where package strconv or time would.
func plainFlagError(cmd *cobra.Command, err error) error {
	if errors.As(err, new(*pflag.NotExistError)) {
		return fmt.Errorf("%w: write %s", err, cmd.UseLine())
	}
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return err
	}
	allowed, ok := map[string]string{
		"int": "a whole number", "uint64": "a whole number, 0 or more", "duration": "a duration such as 500ms, 10s or 2m",
	}[invalid.GetFlag().Value.Type()]
	if !ok {
		return err
	}
	return fmt.Errorf("--%s is %q, but must be %s", invalid.GetFlag().Name, invalid.GetValue(), allowed)
}

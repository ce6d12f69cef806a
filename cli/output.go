package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"tengen/internal/atomicfile"
	"tengen/train/checkpoint"
)

func jsonFlag(cmd *cobra.Command, usage string) {
	cmd.Flags().Bool("json", false, usage)
}

func wantsJSON(cmd *cobra.Command) bool {
	flag := cmd.Flags().Lookup("json")
	return flag != nil && flag.Value.String() == "true"
}

// printReport prints report as indented JSON with --json, otherwise text.
func printReport(cmd *cobra.Command, report any, text string) error {
	if !wantsJSON(cmd) {
		_, err := io.WriteString(cmd.OutOrStdout(), text)
		return err
	}
	e := json.NewEncoder(cmd.OutOrStdout())
	e.SetIndent("", "  ")
	return e.Encode(report)
}

// printLine prints object as a line of JSON with --json, otherwise text as a line.
func printLine(cmd *cobra.Command, object any, text string) error {
	if wantsJSON(cmd) {
		return json.NewEncoder(cmd.OutOrStdout()).Encode(object)
	}
	_, err := fmt.Fprintln(cmd.OutOrStdout(), text)
	return err
}

// forceFlag is for a command that writes files.
func forceFlag(cmd *cobra.Command) {
	cmd.Flags().Bool("force", false, "overwrite an existing file")
}

// checkNew returns an error if a file exists, unless --force is given. Call it before long work. "-" is standard
// output.
func checkNew(cmd *cobra.Command, files ...string) error {
	force, err := cmd.Flags().GetBool("force")
	for _, name := range files {
		if _, missing := os.Lstat(name); missing == nil && name != "-" && !force {
			return usageErrorf("%s exists already: name another file, or overwrite it with --force", name)
		}
	}
	return err
}

// writeFile writes a file that checkNew allows and prints what it is.
func writeFile(cmd *cobra.Command, name, what string, content func(io.Writer) error) error {
	if err := checkNew(cmd, name); err != nil {
		return err
	}
	if name == "-" {
		return content(cmd.OutOrStdout())
	}
	err := atomicfile.Write(name, 0o644, content)
	if err == nil {
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", shown(name), what)
	}
	return err
}

// whole returns a function for writeFile that writes content.
func whole(content []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	}
}

// keepMeasured saves a chart's data in a run directory and prints the file's name.
func keepMeasured(cmd *cobra.Command, dir, chart string, all []checkpoint.Measured) error {
	file, err := checkpoint.SaveMeasured(dir, chart, all)
	if err == nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s serve and %[2]s export report show it\n", shown(file), called)
	}
	return err
}

func logFlag(cmd *cobra.Command) {
	choiceFlag(cmd, new(string), "log", "",
		"write a log with times and levels to standard error, in `format` text or json", "text", "json")
}

// logger returns the log for logFlag's --log, or nil without the flag.
func logger(cmd *cobra.Command) *slog.Logger {
	flag := cmd.Flags().Lookup("log")
	if flag == nil || flag.Value.String() == "" {
		return nil
	}
	if _, format := flag.Value.(choice); !format { // talkFlag's file
		return nil
	}
	if flag.Value.String() == "json" {
		return slog.New(slog.NewJSONHandler(cmd.ErrOrStderr(), nil))
	}
	return slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil))
}

// notices says what a command does: in records of its log or, without one, in lines for people.
type notices struct {
	log         *slog.Logger // nil without --log
	out, errOut io.Writer    // out discards all if there is a log
}

func newNotices(cmd *cobra.Command) notices {
	n := notices{logger(cmd), cmd.OutOrStdout(), cmd.ErrOrStderr()}
	if n.log != nil {
		n.out = io.Discard
	}
	return n
}

// tell logs a message and its attributes, or prints text, if there is any.
func (n notices) tell(text, message string, attrs ...any) {
	if n.log != nil {
		n.log.Info(message, attrs...)
	} else if text != "" {
		fmt.Fprintln(n.out, text)
	}
}

func (n notices) warn(err error) {
	if text := oneLine(err.Error()); n.log != nil {
		n.log.Warn(text)
	} else {
		fmt.Fprintf(n.errOut, "%s: warning: %s\n", called, text)
	}
}

// jsonAttrs returns an object's JSON fields sorted by name. A nested object becomes a group.
func jsonAttrs(object any) []slog.Attr {
	text, err := json.Marshal(object)
	var fields map[string]any
	if err == nil {
		numbers := json.NewDecoder(bytes.NewReader(text))
		numbers.UseNumber() // avoids exponents in large numbers
		err = numbers.Decode(&fields)
	}
	if err != nil {
		return []slog.Attr{slog.String("unreadable", err.Error())}
	}
	return fieldAttrs(fields)
}

func fieldAttrs(fields map[string]any) []slog.Attr {
	attrs := make([]slog.Attr, 0, len(fields))
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if group, ok := fields[name].(map[string]any); ok {
			attrs = append(attrs, slog.Attr{Key: name, Value: slog.GroupValue(fieldAttrs(group)...)})
		} else {
			attrs = append(attrs, slog.Any(name, fields[name]))
		}
	}
	return attrs
}

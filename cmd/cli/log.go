package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"slices"

	"github.com/spf13/cobra"
)

type logFormat string

// String implements pflag.Value.
func (f *logFormat) String() string { return string(*f) }

// Type implements pflag.Value.
func (f *logFormat) Type() string { return "format" }

// Set implements pflag.Value.
func (f *logFormat) Set(text string) error {
	if text != "text" && text != "json" {
		return errors.New("allowed are text and json")
	}
	*f = logFormat(text)
	return nil
}

const logFlagName = "log"

func logFlag(cmd *cobra.Command) {
	cmd.Flags().Var(new(logFormat), logFlagName, "write a log with times and levels to standard error, as text or json, instead of what is for people")
}

// logger returns the log for --log, or nil without the flag.
func logger(cmd *cobra.Command) *slog.Logger {
	flag := cmd.Flags().Lookup(logFlagName)
	if flag == nil || flag.Value.String() == "" {
		return nil
	}
	if flag.Value.String() == "json" {
		return slog.New(slog.NewJSONHandler(cmd.ErrOrStderr(), nil))
	}
	return slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil))
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

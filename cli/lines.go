package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"tengen/internal/files"
)

// eachLine calls do with each line of in. Errors name the line, from 1.
func eachLine(ctx context.Context, in io.Reader, do func(text string) error) error {
	number := 0
	for line, err := range files.Lines(ctx, in) {
		if number++; err != nil {
			return fmt.Errorf("line %d: cannot read the position: %w", number, err)
		}
		if err := do(string(line)); err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
	}
	return nil
}

// noPositions is a cobra.PositionalArgs for commands that read positions from standard input.
func noPositions(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usageErrorf("unknown argument %q: positions come on standard input: echo %[1]q | %s %s", args[0], called, cmd.Use)
}

package cli

import (
	"cmp"
	"time"

	"github.com/spf13/cobra"
)

// grace is how long a command may take to end after Ctrl-C.
var grace = 1500 * time.Millisecond

// Annotations of commands that do not end with "interrupted" and exit status 1 when their grace is over.
const (
	stopsWith = "stops with" // exit status 0; the value is printed
	waits     = "waits"      // the command limits its time itself
)

// hurried returns a command's function that ends soon after Ctrl-C, even in a phase that does not hear it, such as a
// large step of training. What is left undone is what a kill would leave, which every file survives.
func hurried(run func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		ctx, done := cmd.Context(), make(chan error, 1)
		go func() { done <- run(cmd, args) }()
		select {
		case err := <-done:
			return err
		case <-ctx.Done():
		}
		select {
		case err := <-done:
			return err
		case <-time.After(grace):
		}
		text, ok := cmd.Annotations[stopsWith]
		if !ok {
			return ctx.Err()
		}
		newNotices(cmd).tell(text, cmp.Or(text, "stopped"))
		return nil
	}
}

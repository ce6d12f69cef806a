package analysis

import (
	"strings"
	"testing"
)

// An answer that another goroutine has ready does not get between the one to quit and the end.
func TestNothingIsSentAfterQuit(t *testing.T) {
	var out strings.Builder
	a := &answers{ctx: t.Context(), out: &out}
	ended := false
	a.end = func(cause error) {
		if ended = true; cause != errQuit || a.mu.TryLock() {
			t.Errorf("ended with %v, while others may send: %v", cause, cause == errQuit)
		}
	}
	for _, action := range []string{Terminate, TerminateAll, Quit} {
		if a.send(Done{ID: "a", Action: action}); ended != (action == Quit) {
			t.Errorf("ended is %v after %s", ended, action)
		}
	}
}

package cli

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"tengen/engine"
	"tengen/game/mnk"
)

// crash lets a process of these tests have a game that crashes it.
const crash = "TENGEN_TEST_CRASH"

// crashing returns the game.
func crashing() engine.Family {
	return engine.Rules[mnk.State, *mnk.Game]{Name: "crash", Form: "crash", Parse: func(string) (*mnk.Game, error) { panic("a crash") }}
}

// A crash of the program does not end with the status of a wrong command, after which a supervisor does not start it again.
func TestCrash(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), program, "info", "crash")
	cmd.Env, cmd.Dir = append(os.Environ(), crash+"=1"), t.TempDir()
	out, err := cmd.CombinedOutput()
	var ended *exec.ExitError
	if !errors.As(err, &ended) || ended.ExitCode() >= 0 && ended.ExitCode() <= exitUsage || !strings.Contains(string(out), "panic: a crash") {
		t.Errorf("%v, output %.300s", err, out)
	}
}

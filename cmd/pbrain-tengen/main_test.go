package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"tengen/internal/fulltest"
)

// asProgram is the variable of the environment that makes this test program pbrain-tengen.
const asProgram = "TEST_PBRAIN"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// It plays by the protocol, and writes nothing that a manager would take for a move.
func TestProgram(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asProgram+"=1")
	cmd.Stdin = strings.NewReader("ABOUT\r\nSTART 20\r\nINFO timeout_turn 0\r\nBOARD\r\n7,7,1\r\n7,8,2\r\n8,7,1\r\n8,8,2\r\n9,7,1\r\n9,8,2\r\n10,7,1\r\n6,7,2\r\nDONE\r\n")
	out, err := cmd.CombinedOutput()
	lines := strings.Split(string(out), "\n")
	if err != nil || len(lines) != 5 || !strings.HasPrefix(lines[0], `name="tengen", version="`) || lines[1] != "OK" || lines[3] != "11,7" {
		t.Errorf("%v, %q", err, lines)
	}
}

// c-gomoku-cli, where it is installed, lets it play against itself on both boards of tournaments, by the clock of a move or by that
// of a match, and by the rule that exactly five win, and sees no crash, no illegal move and no answer that does not come. With
// -fatalerror it does not suffer an ERROR. A processor that other tests keep busy may hold an answer up for half a minute, half the
// tolerance; TestNeverLate of doors/gomocup tests the clock, without one. c-gomoku-cli does not know Caro. A game takes half a minute.
func TestMatch(t *testing.T) {
	fulltest.Only(t)
	manager, err := exec.LookPath("c-gomoku-cli")
	if err != nil {
		t.Skip("c-gomoku-cli is not in PATH: it is built from github.com/dhbloo/c-gomoku-cli")
	}
	t.Setenv(asProgram, "1")
	for _, game := range []struct{ rule, size, limits string }{ // seconds for a match, 0: no limit, and for a move
		{"0", "15", "0/1"}, {"0", "20", "20/1"}, {"1", "15", "0/1"},
	} {
		t.Run(game.rule+" "+game.size+" "+game.limits, func(t *testing.T) {
			cmd := exec.Command(manager, "-each", "tc="+game.limits, "tolerance=60", "thread=1", "cmd="+os.Args[0], "-engine", "name=a", "-engine", "name=b",
				"-rule", game.rule, "-boardsize", game.size, "-games", "1", "-drawafter", "30", "-fatalerror")
			cmd.Dir = t.TempDir()
			out, err := cmd.CombinedOutput()
			report := string(out)
			if err != nil || !strings.Contains(report, "Finished game 1") {
				t.Errorf("%v\n%s", err, report)
			}
			for _, failure := range []string{"illegal", "timeout at", "crashed", "forfeit"} {
				if strings.Contains(report, failure) {
					t.Errorf("%s:\n%s", failure, report)
				}
			}
		})
	}
}

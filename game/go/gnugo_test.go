package igo_test

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"tengen/game"
	igo "tengen/game/go"
	"tengen/internal/fulltest"
)

// gnugo is a process of GNU Go, which plays by the Go Text Protocol.
type gnugo struct {
	t   *testing.T
	in  io.Writer
	out *bufio.Scanner
}

func startGNUGo(t *testing.T, seed int) *gnugo {
	const program = "/usr/games/gnugo"
	if _, err := exec.LookPath(program); err != nil {
		t.Skip("GNU Go is not installed")
	}
	options := "--mode gtp --level 1 --chinese-rules --positional-superko --forbid-suicide --capture-all-dead " +
		"--never-resign --boardsize 9 --komi 7 --seed " + strconv.Itoa(seed)
	process := exec.CommandContext(t.Context(), program, strings.Fields(options)...)
	in, err := process.StdinPipe()
	out, err2 := process.StdoutPipe()
	if err := cmp.Or(err, err2, process.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); process.Wait() })
	return &gnugo{t, in, bufio.NewScanner(out)}
}

// ask returns the answer to a command, in small letters.
func (g *gnugo) ask(command string) string {
	fmt.Fprintln(g.in, command)
	var lines []string
	for g.out.Scan() && (g.out.Text() != "" || len(lines) == 0) {
		lines = append(lines, g.out.Text())
	}
	answer, ok := strings.CutPrefix(strings.Join(lines, " "), "=")
	if !ok {
		g.t.Fatalf("GNU Go answers %q to %s", lines, command)
	}
	return strings.ToLower(strings.TrimSpace(answer))
}

// GNU Go plays games with itself to the end. All its moves are legal, and where it sees no dead stones on the board,
// its score is the margin.
func TestGNUGo(t *testing.T) {
	rules := parse(t, "9,7")
	games, compared, differing := fulltest.Pick(10, 200), 0, 0
	for seed := 1; seed <= games; seed++ {
		program := startGNUGo(t, seed)
		s := rules.Start()
		for _, over := s.Outcome(); !over; _, over = s.Outcome() {
			move := program.ask("genmove " + [2]string{"black", "white"}[s.Ply()%2])
			_, next, err := game.ParseMoves(s, move)
			if err != nil {
				t.Fatalf("game %d: %v", seed, err)
			}
			s = next
		}
		if s.Ply() == rules.MaxPlies() || program.ask("final_status_list dead") != "" {
			continue
		}
		compared++
		if got := score(s); got != program.ask("final_score") {
			differing++
			t.Logf("game %d: %s, but GNU Go says %s\n%s", seed, got, program.ask("final_score"), program.ask("showboard"))
		}
	}
	t.Logf("%d games, %d without dead stones, %d with another score", games, compared, differing)
	if compared < games*3/4 || differing > games/100 {
		t.Errorf("of %d games %d are without dead stones, and %d of them have another score", games, compared, differing)
	}
}

// score returns the margin as GNU Go writes it.
func score(s igo.State) string {
	switch margin := s.Margin(); {
	case margin > 0:
		return fmt.Sprintf("b+%.1f", margin)
	case margin < 0:
		return fmt.Sprintf("w+%.1f", -margin)
	}
	return "0"
}

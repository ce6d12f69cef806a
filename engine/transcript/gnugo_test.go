package transcript_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tengen/engine/transcript"
	"tengen/game"
	"tengen/internal/fulltest"
)

// Games of Go that GNU Go has played and written end as GNU Go itself reads them.
func TestGNUGo(t *testing.T) {
	const program = "/usr/games/gnugo"
	if _, err := os.Stat(program); err != nil {
		t.Skipf("%s is missing: apt-get install gnugo", program)
	}
	gnuGo := func(input string, arguments ...string) string {
		rules := strings.Fields("--level 0 --chinese-rules --positional-superko --forbid-suicide")
		c := exec.CommandContext(t.Context(), program, append(arguments, rules...)...)
		c.Stdin = strings.NewReader(input)
		answer, err := c.Output()
		if err != nil {
			t.Fatalf("%q: %v", arguments, err)
		}
		return string(answer)
	}
	rng, passes := rand.New(rand.NewPCG(1, 2)), 0
	games := fulltest.Pick(5, 50)
	for i := range games {
		size := 5 + 2*(i%3)
		e := open(t, fmt.Sprintf("go:%d,%d.5", size, i%7))
		var typed strings.Builder // which GNU Go answers; it refuses what is not legal
		for range 4 * size {
			fmt.Fprintf(&typed, "%c%d\n", "abcdefghj"[rng.IntN(size)], 1+rng.IntN(size))
		}
		file := filepath.Join(t.TempDir(), "game.sgf")
		gnuGo(typed.String()+strings.Repeat("pass\n", 9), "--mode", "ascii", "--boardsize", fmt.Sprint(size), "--komi", fmt.Sprintf("%d.5", i%7),
			"--seed", fmt.Sprint(i), "-o", file)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p, err := transcript.End(e, string(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		passes += strings.Count(p.Notation(), "pass")
		answers := strings.Split(gnuGo("loadsgf "+file+"\nlist_stones black\nlist_stones white\n", "--mode", "gtp"), "\n\n")
		for side, answer := range map[game.Side]string{game.First: answers[1], game.Second: answers[2]} {
			var got []string
			for cell, held := range p.Cells {
				if held == side {
					got = append(got, strings.ToUpper(e.Info().Columns[cell%size])+e.Info().Rows[cell/size])
				}
			}
			want := strings.Fields(answer)[1:]
			slices.Sort(got)
			slices.Sort(want)
			if len(p.Moves) < 9 || !slices.Equal(got, want) {
				t.Errorf("%s is read as\n%s; GNU Go has %v of the %v", text, p, want, side)
			}
		}
	}
	if passes < 2*games {
		t.Errorf("%d passes", passes)
	}
}

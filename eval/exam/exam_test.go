package exam

import (
	"flag"
	"slices"
	"strings"
	"testing"

	"tengen/eval/grade"
	"tengen/game"
	"tengen/internal/fulltest"
	"tengen/internal/random"
	"tengen/solver"
	"tengen/solver/connect4"
)

var acceptance = flag.Bool("acceptance", false, "also solve all positions again")

// all is both halves.
func all() []Problem { return slices.Concat(Connect4(grade.Dev), Connect4(grade.Final)) }

// Both halves have as many positions of each cell, and they are the odd and the even ones of the file.
func TestHalves(t *testing.T) {
	whole, err := unpack(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := map[grade.Half]map[Cell][]string{}
	for _, half := range []grade.Half{grade.Dev, grade.Final} {
		lines[half] = map[Cell][]string{}
		for _, p := range Connect4(half) {
			lines[half][p.Cell] = append(lines[half][p.Cell], p.Line())
		}
	}
	for _, cell := range Cells {
		var want []string
		for _, p := range whole {
			if p.Cell == cell {
				want = append(want, p.Line())
			}
		}
		var got []string
		for i := range min(len(lines[grade.Dev][cell]), len(lines[grade.Final][cell])) {
			got = append(got, lines[grade.Dev][cell][i], lines[grade.Final][cell][i])
		}
		if len(got) != Size || !slices.Equal(got, want) {
			t.Errorf("%v: %d positions in the two halves, %d in the file, in turn %t; want %d",
				cell, len(got), len(want), slices.Equal(got, want), Size)
		}
	}
	if n := len(all()); n != Size*len(Cells) {
		t.Errorf("%d positions; want %d", n, Size*len(Cells))
	}
}

// Every position is there once, its mirror image not at all. The two are told apart by playing the game.
func TestNoPositionTwice(t *testing.T) {
	seen := map[game.Key]string{}
	for _, p := range all() {
		image := standard.Start()
		for _, a := range p.Moves {
			image = image.Play(6 - a)
		}
		for _, key := range []game.Key{p.Position.Key(), image.Key()} {
			if other, ok := seen[key]; ok && other != p.Line() {
				t.Errorf("%s is the same as %s, or its mirror image", p.Line(), other)
			}
			seen[key] = p.Line()
		}
	}
}

// Positions are of their cell, by counting out the moves until the winner has placed its last stone, 22 less the score. There
// is a choice of moves, nobody wins with the next two stones, and every number of stones comes up.
func TestPositionsBelong(t *testing.T) {
	within := func(n, first, last int) bool { return first <= n && n <= last }
	plies := map[int]bool{}
	for _, p := range all() {
		ply := len(p.Moves)
		plies[ply] = true
		left := cells - ply
		if p.Score != 0 {
			left = pliesUntil(ply, 22-int(max(p.Score, -p.Score)), p.Score > 0)
		}
		stage := map[Stage]bool{Beginning: within(ply, 0, 13), Middle: within(ply, 14, 28), End: within(ply, 29, 40)}
		difficulty := map[Difficulty]bool{Easy: within(left, 0, 13), Medium: within(left, 14, 28), Hard: within(left, 29, 42)}
		if !stage[p.Cell.Stage] || !difficulty[p.Cell.Difficulty] || left < 3 && p.Score != 0 || len(p.Legal) < 2 {
			t.Errorf("%s is in the cell %v, with %d moves left and %d to choose from", p.Line(), p.Cell, left, len(p.Legal))
		}
	}
	for ply := range cells - 1 {
		if !plies[ply] {
			t.Errorf("no position has %d stones", ply)
		}
	}
}

// pliesUntil counts the moves until the winner, who is to move or not, has placed its last stone.
func pliesUntil(ply, stones int, winnerToMove bool) (left int) {
	placed := [2]int{(ply + 1) / 2, ply / 2} // by the first and the second player
	winner := ply % 2
	if !winnerToMove {
		winner = 1 - winner
	}
	for ; placed[winner] < stones; left++ {
		placed[(ply+left)%2]++
	}
	return left
}

// Scores are what a solver finds, the book standing in for it up to ply 8. All 6,000 positions are solved, in half an hour, by
//
//	go test ./arena/exam -run Exact -timeout 60m -args -acceptance
func TestScoresAreExact(t *testing.T) {
	s, err := connect4.New(standard, connect4.Options{TableMegabytes: 16, Threads: 1, Book: connect4.OpeningBook(standard)})
	if err != nil {
		t.Fatal(err)
	}
	rng := random.New(1, random.Test)
	for _, cell := range Cells {
		var problems []Problem
		for _, p := range all() {
			if p.Cell == cell {
				problems = append(problems, p)
			}
		}
		rng.Shuffle(len(problems), func(i, j int) { problems[i], problems[j] = problems[j], problems[i] })
		if !*acceptance {
			sample := fulltest.Pick(map[Stage]int{Beginning: 1, Middle: 10, End: 50}, map[Stage]int{Beginning: 4, Middle: 40, End: 200})
			problems = problems[:min(sample[cell.Stage], len(problems))]
		}
		for _, p := range problems {
			scores, err := solver.Moves(t.Context(), s, p.Position, p.Legal)
			if err != nil || !slices.Equal(scores, p.Scores) || slices.Max(scores) != p.Score {
				t.Errorf("%s: the solver says %d, error %v", p.Line(), scores, err)
			}
		}
	}
}

func TestCellOf(t *testing.T) {
	for _, test := range []struct {
		ply   int
		score solver.Score
		want  Cell
	}{
		{0, 1, Cell{Beginning, Hard}},
		{13, 0, Cell{Beginning, Hard}},    // 29 moves left
		{13, -1, Cell{Beginning, Medium}}, // the first player wins with its last stone, after 28
		{14, 0, Cell{Middle, Medium}},     // 28
		{12, 9, Cell{Beginning, Easy}},    // its 13th stone, after 13
		{12, -9, Cell{Beginning, Medium}}, // the opponent's 13th, after 14
		{28, 0, Cell{Middle, Medium}},     // 14
		{29, 0, Cell{End, Easy}},
	} {
		if got := CellOf(test.ply, test.score); got != test.want {
			t.Errorf("ply %d, score %d: %v; want %v", test.ply, test.score, got, test.want)
		}
	}
}

func TestLines(t *testing.T) {
	for _, line := range []string{" -2 -1 0 1 0 -1 -2", "111222333 -1 2 -3 4 -5 6 -7", "444444555555 1 1 1 - - 1 1"} {
		p, err := Parse(line)
		if err != nil || p.Line() != line {
			t.Errorf("%q: read and written %q, error %v", line, p.Line(), err)
		}
	}
	p, _ := Parse("121212 -1 -2 -3 -4 -5 -6 -7")
	if p.Score != -1 || len(p.Moves) != 6 || p.Position.Ply() != 6 || !slices.Equal(p.Scores, []solver.Score{-1, -2, -3, -4, -5, -6, -7}) {
		t.Errorf("read as %+v", p)
	}
}

func TestBadLines(t *testing.T) {
	for line, message := range map[string]string{
		"44 1 2 3":                  `"44 1 2 3" is not the columns played and 7 scores`,
		"48 1 1 1 1 1 1 1":          "8",
		"4444444 1 1 1 - 1 1 1":     "move 7 (4) is illegal",
		"1212121 1 1 1 1 1 1 1":     "the game is over",
		"44 1 1 1 - 1 1 1":          `column 4 has "-"`,
		"444444 1 1 1 1 1 1 1":      `column 4 has "1"`,
		"44 1 1 one 1 1 1 1":        "one",
		"44 1 1 1 1 1 1 1 ":         "scores",
		"44  1 1 1 1 1 1":           `""`,
		"111 1 1 1 1 1 1 1 1 1 1 1": "scores",
	} {
		if _, err := Read(strings.NewReader("44 1 1 1 1 1 1 1\n" + line + "\n")); err == nil ||
			!strings.Contains(err.Error(), "line 2: ") || !strings.Contains(err.Error(), message) {
			t.Errorf("%q: error %v; want one with %q", line, err, message)
		}
	}
}

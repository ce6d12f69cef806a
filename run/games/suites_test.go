package games

import (
	"cmp"
	"flag"
	"slices"
	"strings"
	"testing"

	"tengen/eval/grade"
	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/forced"
	"tengen/game/mnk"
	"tengen/game/othello"
	"tengen/internal/fulltest"
	"tengen/internal/random"
	"tengen/solver"
	connect4solver "tengen/solver/connect4"
)

var acceptance = flag.Bool("acceptance", false, "also solve and prove all positions again")

// proofNodes are the moves that a proof may try.
const proofNodes = 100_000

var (
	four = connect4.Standard()
	five = mnk.Gomoku()
)

// half is a half of a suite.
func half[S game.State[S]](t *testing.T, name, half string, g game.Game[S]) grade.Set {
	t.Helper()
	file, err := suites.Open(name + ".txt.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	set, err := grade.ReadSuite(file, g, half)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// all are the problems of both halves.
func all[S game.State[S]](t *testing.T, name string, g game.Game[S]) []grade.Problem {
	t.Helper()
	return slices.Concat(half(t, name, "dev", g).Problems, half(t, name, "final", g).Problems)
}

// sample is some problems of each part that belongs to a problem last, or all of them with -acceptance.
func sample(problems []grade.Problem, size func(part string) int) (some []grade.Problem) {
	counts := map[string]int{}
	for _, i := range random.New(1, random.Test).Perm(len(problems)) {
		part := problems[i].Parts[len(problems[i].Parts)-1]
		if counts[part]++; *acceptance || counts[part] <= size(part) {
			some = append(some, problems[i])
		}
	}
	return some
}

// after is the position after moves.
func after[S game.State[S]](t *testing.T, g game.Game[S], moves []game.Action) S {
	t.Helper()
	s, err := game.Replay(g, moves)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The halves have these parts, and as many positions of each.
func TestExamsHaveAllParts(t *testing.T) {
	for _, c := range []struct {
		suite  string
		half   func(half string) grade.Set
		parts  []string
		counts []int
	}{
		{"connect4.exam", func(half_ string) grade.Set { return half[connect4.State](t, "connect4.exam", half_, four) }, []string{"beginning, easy", "beginning, medium", "beginning, hard", "middle, easy", "middle, medium", "end, easy"},
			[]int{500, 500, 500, 500, 500, 500}},
		{"gomoku.exam", func(half_ string) grade.Set { return half[mnk.State](t, "gomoku.exam", half_, five) }, []string{"win, all", "win, short", "win, medium", "win, long", "defend, all", "defend, short", "defend, medium", "defend, long"},
			[]int{500, 170, 170, 160, 500, 170, 170, 160}},
	} {
		for _, name := range grade.Halves {
			set := c.half(name)
			var counts []int
			for _, part := range set.Parts {
				n := 0
				for _, p := range set.Problems {
					if slices.Contains(p.Parts, part) {
						n++
					}
				}
				counts = append(counts, n)
			}
			if !slices.Equal(set.Parts, c.parts) || !slices.Equal(counts, c.counts) {
				t.Errorf("%s of %s has %v positions of %q", name, c.suite, counts, set.Parts)
			}
		}
	}
}

// No position comes twice, turned or reflected, in both halves together. The images are made by playing the turned moves.
func TestNoPositionTwice(t *testing.T) {
	checkNew(t, four, all(t, "connect4.exam", four))
	checkNew(t, five, all(t, "gomoku.exam", five))
	checkNew(t, five, all(t, "gomoku.openings", five))
}

func checkNew[S game.State[S]](t *testing.T, g game.Game[S], problems []grade.Problem) {
	t.Helper()
	seen := map[game.Key]string{}
	for _, p := range problems {
		line := game.FormatMoves(g.Start(), p.Moves)
		images := map[game.Key]bool{}
		for _, symmetry := range g.Symmetries() {
			s := g.Start()
			for _, a := range p.Moves {
				s = s.Play(symmetry.Actions[a])
			}
			images[s.Key()] = true
		}
		for key := range images {
			if other, ok := seen[key]; ok {
				t.Errorf("%s is %s again", line, other)
			}
			seen[key] = line
		}
	}
}

// Scores are what a solver finds, the book standing in for it up to ply 8. All 6,000 positions are solved, in half an hour, by
//
//	go test ./run/games -run Exact -timeout 60m -args -acceptance
func TestScoresAreExact(t *testing.T) {
	s, err := connect4solver.New(four, connect4solver.Options{TableMegabytes: 16, Threads: 1, Book: connect4solver.OpeningBook(four)})
	if err != nil {
		t.Fatal(err)
	}
	sizes := fulltest.Pick(map[string]int{"beginning": 1, "middle": 10, "end": 50}, map[string]int{"beginning": 4, "middle": 40, "end": 200})
	size := func(part string) int { stage, _, _ := strings.Cut(part, ","); return sizes[stage] }
	for _, p := range sample(all(t, "connect4.exam", four), size) {
		position := after(t, four, p.Moves)
		scores, err := solver.Moves(t.Context(), s, position, position.Legal(nil))
		if err != nil || !slices.Equal(scores, p.Scores) {
			t.Errorf("%s has the scores %v, error %v; the exam says %v", game.FormatMoves(four.Start(), p.Moves), scores, err, p.Scores)
		}
	}
}

// Each move of a sample is proven again. A move wins if it completes five, or if the opponent is proven to be lost after it; it
// holds unless the opponent is proven to win.
func TestRightMovesAreProven(t *testing.T) {
	prover := forced.New[mnk.State]()
	for _, p := range sample(all(t, "gomoku.exam", five), func(string) int { return fulltest.Pick(6, 20) }) {
		s := after(t, five, p.Moves)
		for _, a := range s.Legal(nil) {
			next := s.Play(a)
			z, _ := next.Outcome()
			found := prover.Examine(next, proofNodes).Result
			right := z < 0 || found == game.Loss
			if p.Parts[0] == "defend, all" {
				right = found != game.Win
			}
			if right != slices.Contains(p.Right, a) {
				t.Errorf("%s, %s: %s is right: %t", p.Parts[1], game.FormatMoves(five.Start(), p.Moves), five.Start().Format(a), right)
			}
		}
	}
}

// No chain of a sample is shorter than its part says, for the side that it belongs to: the side to move, or the opponent after a
// pass.
func TestChainsBelong(t *testing.T) {
	prover := forced.New[mnk.State]()
	shortest := map[string]int{"short": 3, "medium": 7, "long": 11}
	for _, p := range sample(all(t, "gomoku.exam", five), func(string) int { return fulltest.Pick(10, 100) }) {
		s := after(t, five, p.Moves)
		task, depth, _ := strings.Cut(p.Parts[1], ", ")
		if task == "defend" {
			stones := make([]game.Side, five.Board().Cells())
			for i := range stones {
				stones[i] = s.Cell(i)
			}
			var err error
			if s, err = five.FromStones(stones, s.ToMove().Opponent(), game.None); err != nil {
				t.Fatal(err)
			}
		}
		if n := prover.Examine(s, proofNodes).Plies; n < shortest[depth] {
			t.Errorf("%s: the chain of %s has %d plies", game.FormatMoves(five.Start(), p.Moves), p.Parts[1], n)
		}
	}
}

// Plain alpha-beta finds the published margins of the endgame with 6 empty squares and, in the long test, with up to 14.
func TestMarginsAreExact(t *testing.T) {
	g, err := othello.New(8)
	if err != nil {
		t.Fatal(err)
	}
	most := fulltest.Pick(6, 14)
	problems, moves := half(t, "othello.ffo", "final", g).Problems, 0
	for _, p := range problems {
		s, err := game.ParseBoard(g, p.Board)
		if err != nil {
			t.Fatal(err)
		}
		legal := s.Legal(nil)
		if moves += len(legal); len(p.Scores) != len(legal) {
			t.Errorf("%s has %d margins of %d moves", p.Board, len(p.Scores), len(legal))
		}
		if strings.Count(p.Board, "-") > most {
			continue
		}
		for i, a := range legal {
			if got := -margin(s.Play(a), -64, 64); solver.Score(got) != p.Scores[i] {
				t.Errorf("%s: the margin of %s is %d; want %d", p.Board, s.Format(a), got, p.Scores[i])
			}
		}
	}
	if len(problems) != 49 || moves != 427 {
		t.Errorf("%d endgames with %d moves; want 49 with 427", len(problems), moves)
	}
}

// margin returns the margin of perfect play for the side to move, if it lies between low and high. The winner gets the
// empty squares.
func margin(s othello.State, low, high int) int {
	if _, over := s.Outcome(); over {
		discs := int(s.Margin()) * int(s.ToMove())
		empty := 64
		for cell := range 64 {
			empty -= int(s.Cell(cell)) * int(s.Cell(cell))
		}
		return discs + cmp.Compare(discs, 0)*empty
	}
	next := []othello.State{}
	for _, a := range s.Legal(nil) {
		next = append(next, s.Play(a))
	}
	slices.SortFunc(next, func(a, b othello.State) int { return len(a.Legal(nil)) - len(b.Legal(nil)) })
	for _, s := range next {
		if low = max(low, -margin(s, -high, -low)); low >= high {
			break
		}
	}
	return low
}

// Openings leave neither side a forced win, and give no player one to defend against.
func TestOpenings(t *testing.T) {
	prover := forced.New[mnk.State]()
	for _, name := range grade.Halves {
		problems := half(t, "gomoku.openings", name, five).Problems
		if len(problems) != 100 {
			t.Errorf("%s has %d openings; want 100", name, len(problems))
		}
		for _, p := range problems {
			found := prover.Examine(after(t, five, p.Moves), proofNodes)
			if found.Result != game.Unknown || slices.Contains(found.Moves, game.Loss) || len(p.Moves) < 3 || len(p.Moves) > 6 {
				t.Errorf("%s: %d stones, %v for the side to move", game.FormatMoves(five.Start(), p.Moves), len(p.Moves), found.Result)
			}
		}
	}
}

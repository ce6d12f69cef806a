package grade_test

import (
	"encoding/json"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"tengen/eval/grade"
	"tengen/eval/rating"
	"tengen/game"
	"tengen/game/mnk"
	"tengen/internal/random"
	"tengen/players"
	"tengen/solver"
)

// recount is the plain definition of the totals, for the problems that belong.
func recount(t *testing.T, problems []grade.Problem, pick func(p grade.Problem) (move int, value float64),
	belongs func(p grade.Problem) bool) (total grade.Totals) {
	for _, p := range problems {
		if !belongs(p) {
			continue
		}
		i, value := pick(p)
		for _, share := range []*grade.Share{&total.Optimal, &total.Kept, &total.Sign} {
			share.Of++
		}
		if p.Scores[i] == p.Score() {
			total.Optimal.Count++
		}
		best := p.Score()
		if best > 0 && p.Scores[i] > 0 || best == 0 && p.Scores[i] == 0 || best < 0 && p.Scores[i] < 0 {
			total.Kept.Count++
		}
		if best > 0 && 3*value > 1 || best == 0 && math.Abs(3*value) <= 1 || best < 0 && 3*value < -1 {
			total.Sign.Count++
		}
		total.Lost += int(best - p.Scores[i])
		total.Squared += math.Pow(value-float64(best.Sign()), 2)
	}
	return total
}

// pliesToEnd plays the first best move until the game is over.
func pliesToEnd(o *solver.AlphaBeta[mnk.State], s mnk.State) (plies int) {
	for {
		if _, over := s.Outcome(); over {
			return plies
		}
		scores := scores(o, s)
		s = s.Play(s.Legal(nil)[slices.Index(scores, slices.Max(scores))])
		plies++
	}
}

// whim is an arbitrary answer that depends on the position alone.
func whim(s mnk.State) (game.Action, float32) {
	rng := random.New(1, random.Test, s.Key()[0], s.Key()[1])
	legal := s.Legal(nil)
	return legal[rng.IntN(len(legal))], 2*rng.Float32() - 1
}

// The totals of every group are what counting by the definitions gives, with games played to their end for the difficulty.
func TestTotalsAreRecounted(t *testing.T) {
	g := mnk.TicTacToe()
	problems := openTicTacToe(t)
	o := newOracle(g)
	left := map[game.Key]int{}
	for _, p := range problems {
		left[at(t, p).Key()] = pliesToEnd(o, at(t, p))
	}
	ply := func(low, high int) func(p grade.Problem) bool {
		return func(p grade.Problem) bool { return len(p.Moves) >= low && len(p.Moves) < high }
	}
	plies := func(low, high int) func(p grade.Problem) bool {
		return func(p grade.Problem) bool {
			n := left[at(t, p).Key()]
			return n >= low && n < high
		}
	}
	belongs := map[string]func(grade.Problem) bool{
		"all": ply(0, 9), "beginning": ply(0, 3), "middle": ply(3, 6), "end": ply(6, 9),
		"easy": plies(0, 3), "medium": plies(3, 6), "hard": plies(6, 10),
	}
	picks := []func(p grade.Problem) (int, float64){
		func(p grade.Problem) (int, float64) {
			return slices.Index(p.Scores, slices.Min(p.Scores)), -float64(p.Score().Sign())
		},
		func(p grade.Problem) (int, float64) {
			move, value := whim(at(t, p))
			return slices.Index(at(t, p).Legal(nil), move), float64(value)
		},
	}
	whimsical := entrant("whimsical", func() advice[mnk.State] {
		return func(s mnk.State, _ *rand.Rand) (game.Action, float32) { return whim(s) }
	})
	report := run(t, 1, g, problems, worst(g), whimsical)
	for i, player := range report.Players {
		if len(player.Parts) != len(belongs) {
			t.Errorf("%s: %d parts", player.Player, len(player.Parts))
		}
		for name, got := range player.Parts {
			want := recount(t, problems, picks[i], belongs[name])
			if math.Abs(got.Squared-want.Squared) > 1e-9 {
				t.Errorf("%s, %s: squared error %v, want %v", player.Player, name, got.Squared, want.Squared)
			}
			if got.Squared = want.Squared; got != want {
				t.Errorf("%s, %s: %+v, want %+v", player.Player, name, got, want)
			}
		}
	}
}

// solve is the problem of a position in tic-tac-toe.
func solve(t *testing.T, text string) grade.Problem {
	t.Helper()
	g := mnk.TicTacToe()
	moves, _, err := game.ParseMoves(g.Start(), text)
	if err != nil {
		t.Fatal(err)
	}
	p, err := grade.Solve(t.Context(), g, newOracle(g), moves)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// says always gives the same answer.
func says(move game.Action, value float32) players.Player[mnk.State] {
	return entrant("says", func() advice[mnk.State] {
		return func(mnk.State, *rand.Rand) (game.Action, float32) { return move, value }
	})
}

// Values fall into ten bins of equal width, the last of which holds its upper end.
func TestCalibration(t *testing.T) {
	p := solve(t, "a1 a3 b1 b3") // a win
	for value, bin := range map[float32]int{-1: 0, -0.81: 0, -0.79: 1, -0.1: 4, 0: 5, 0.1: 5, 0.3: 6, 0.79: 8, 0.81: 9, 1: 9} {
		grades := run(t, 1, mnk.TicTacToe(), []grade.Problem{p, p}, says(at(t, p).Legal(nil)[0], value)).Players[0]
		want := grade.Grades{}.Calibration
		want[bin].Positions, want[bin].Values, want[bin].Results = 2, 2*float64(value), 2
		if grades.Calibration != want {
			t.Errorf("value %v: %+v, want bin %d", value, grades.Calibration, bin)
		}
	}
}

// At c1 X wins the first position, O loses the second, whose one good move is the centre, and X draws the third.
func TestMetrics(t *testing.T) {
	won, lost, drawn := solve(t, "a1 a3 b1 b3"), solve(t, "a1"), solve(t, "")
	c1 := at(t, won).Legal(nil)[slices.Index(won.Scores, won.Score())]
	r := run(t, 1, mnk.TicTacToe(), []grade.Problem{won, lost, drawn}, says(c1, 1))
	got := r.Players[0].Accuracy()
	want := rating.Accuracy{
		Optimal: 2. / 3, KeepsValue: 2. / 3, SignAccuracy: 1. / 3,
		ScoreLost: -float64(lost.Scores[slices.Index(at(t, lost).Legal(nil), c1)]) / 3,
		Mistakes:  map[string]float64{"beginning": 0.5, "middle": 0},
		Stages:    map[string]int{"beginning": 2, "middle": 1},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	data, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	if keys := slices.Sorted(maps.Keys(decode(t, data))); !slices.Equal(keys, []string{"keeps_value", "mistakes", "optimal", "score_lost", "sign_accuracy", "stages"}) {
		t.Errorf("keys %q", keys)
	}
}

package env_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/mnk"
	"tengen/internal/random"
	"tengen/players"
	"tengen/players/env"
	"tengen/players/playertest"
)

// entrant returns the player that a SPEC names.
func entrant[S game.State[S]](t testing.TB, g game.Game[S], spec string) *players.Player[S] {
	t.Helper()
	p := playertest.Player(t, g, spec)
	return &p
}

func newVector[S game.State[S]](t testing.TB, g game.Game[S], opponent *players.Player[S], c env.Config) *env.Vector[S] {
	t.Helper()
	v, err := env.New(g, opponent, c)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// anyMove is a random legal move of a game, or the move 0 when it is over.
func anyMove(g env.Games, i int, rng *rand.Rand) game.Action {
	legal := g.Legal(i)
	if len(legal) == 0 {
		return 0
	}
	return legal[rng.IntN(len(legal))]
}

// snapshot is all that can be seen of a game.
type snapshot struct {
	Moves, Legal []game.Action
	Viewer       game.Side
	Reward       float32
	Outcome      int8
	Over         bool
	Planes       []float32
}

func look(g env.Games, i int) snapshot {
	planes, board := g.Shape()
	s := snapshot{
		Moves: slices.Clone(g.Moves(i)), Legal: slices.Clone(g.Legal(i)), Viewer: g.Viewer(i), Reward: g.Reward(i),
		Planes: make([]float32, planes*board.Cells()),
	}
	s.Outcome, s.Over = g.Outcome(i)
	g.Observe(i, s.Viewer, s.Planes)
	return s
}

func lookAll(g env.Games) (all []snapshot) {
	for i := range g.Len() {
		all = append(all, look(g, i))
	}
	return all
}

// What is told of a game is what its moves lead to, in games without an opponent and in those with one.
func TestAgreesWithTheRules(t *testing.T) {
	g := connect4.Standard()
	for _, opponent := range []*players.Player[connect4.State]{nil, entrant(t, g, "random"), entrant(t, g, "uct:5")} {
		c := env.Config{Games: 20, Seed: 3, AutoReset: true, Workers: 3}
		v := newVector(t, g, opponent, c)
		if err := v.Reset(t.Context(), nil, nil); err != nil {
			t.Fatal(err)
		}
		rng, actions, finished := random.New(1, random.Test), make([]game.Action, c.Games), 0
		for range 150 {
			for i := range actions {
				actions[i] = anyMove(v, i, rng)
			}
			before := lookAll(v)
			if err := v.Step(t.Context(), actions); err != nil {
				t.Fatal(err)
			}
			for i, after := range lookAll(v) {
				checkStep(t, g, opponent != nil, before[i], actions[i], after)
				if after.Over {
					finished++
				}
			}
		}
		if finished < 50 {
			t.Errorf("only %d games were finished", finished)
		}
	}
}

// checkStep compares a game after a step with what the rules make of the moves.
func checkStep[S game.State[S]](t *testing.T, g game.Game[S], opponent bool, before snapshot, a game.Action, after snapshot) {
	t.Helper()
	s, err := game.Replay(g, after.Moves)
	if err != nil {
		t.Fatal(err)
	}
	z, over := s.Outcome()
	viewer, rewarded := s.ToMove(), s.ToMove().Opponent()
	if opponent {
		viewer, rewarded = after.Viewer, after.Viewer
	}
	want := snapshot{Moves: after.Moves, Legal: s.Legal(nil), Viewer: viewer, Over: over}
	want.Planes = make([]float32, game.InputLen(g))
	s.Encode(want.Planes)
	if over {
		want.Outcome = game.FirstPlayerOutcome(z, s.ToMove())
		want.Reward = float32(want.Outcome) * float32(rewarded)
	}
	if viewer != s.ToMove() {
		after.Planes, want.Planes = nil, nil // see TestObserve
	}
	if len(want.Legal) == 0 {
		after.Legal, want.Legal = nil, nil
	}
	if !reflect.DeepEqual(after, want) {
		t.Fatalf("after %v and %d:\n%+v\nwant\n%+v", before.Moves, a, after, want)
	}
	switch {
	case before.Over:
		if len(after.Moves) > 1 || opponent != (len(after.Moves) == 1) && viewer == game.Second {
			t.Fatalf("a new game begins with %v for the %v", after.Moves, viewer)
		}
	case !slices.Equal(after.Moves[:len(before.Moves)+1], append(before.Moves, a)):
		t.Fatalf("move %d makes %v of %v", a, after.Moves, before.Moves)
	case opponent && !over && s.ToMove() != after.Viewer:
		t.Fatalf("the opponent has not answered %v", after.Moves)
	}
}

// play returns all that is seen in some steps of random moves, game by game.
func play(t *testing.T, v env.Games, steps int) (seen [][]snapshot) {
	t.Helper()
	if err := v.Reset(t.Context(), nil, nil); err != nil {
		t.Fatal(err)
	}
	seen = make([][]snapshot, v.Len())
	rngs, actions := make([]*rand.Rand, v.Len()), make([]game.Action, v.Len())
	for i := range rngs {
		rngs[i] = random.New(1, random.Test)
	}
	for range steps {
		for i := range actions {
			actions[i] = anyMove(v, i, rngs[i])
		}
		if err := v.Step(t.Context(), actions); err != nil {
			t.Fatal(err)
		}
		for i := range actions {
			seen[i] = append(seen[i], look(v, i))
		}
	}
	return seen
}

// Game i of a vector does not depend on the others, nor on the number of workers: it is the single game of the seed plus i.
func TestVectorIsManySingles(t *testing.T) {
	g := mnk.TicTacToe()
	opponent := entrant(t, g, "uct:10")
	c := env.Config{Games: 7, Seed: 40, AutoReset: true, Workers: 1}
	together := play(t, newVector(t, g, opponent, c), 60)
	c.Workers = 3
	if !reflect.DeepEqual(play(t, newVector(t, g, opponent, c), 60), together) {
		t.Error("the number of workers makes a difference")
	}
	sides := map[game.Side]bool{}
	for i := range together {
		single := newVector(t, g, opponent, env.Config{Games: 1, Seed: 40 + uint64(i), AutoReset: true, Workers: 1})
		rng := random.New(1, random.Test)
		if err := single.Reset(t.Context(), nil, nil); err != nil {
			t.Fatal(err)
		}
		for n, want := range together[i] {
			if err := single.Step(t.Context(), []game.Action{anyMove(single, 0, rng)}); err != nil {
				t.Fatal(err)
			}
			if got := look(single, 0); !reflect.DeepEqual(got, want) {
				t.Fatalf("step %d of game %d is %+v by itself, %+v among others", n, i, got, want)
			}
			sides[want.Viewer] = true
		}
	}
	if !sides[game.First] || !sides[game.Second] {
		t.Error("chance gives the caller one side only")
	}
}

// A seed repeats games, whatever was played before; another one does not.
func TestSeeds(t *testing.T) {
	v := newVector(t, connect4.Standard(), entrant(t, connect4.Standard(), "random"), env.Config{Games: 2, Side: game.Second, AutoReset: true, Workers: 1})
	e := func(seed uint64) []snapshot {
		if err := v.Reset(t.Context(), &seed, nil); err != nil {
			t.Fatal(err)
		}
		rng := random.New(1, random.Test)
		for range 30 {
			if err := v.Step(t.Context(), []game.Action{anyMove(v, 0, rng), anyMove(v, 1, rng)}); err != nil {
				t.Fatal(err)
			}
		}
		return lookAll(v)
	}
	first := e(5)
	if reflect.DeepEqual(first, e(1000)) {
		t.Error("another seed gives the same games")
	}
	if !reflect.DeepEqual(first, e(5)) {
		t.Error("the same seed gives other games")
	}
}

// The side that the caller plays is the one that it asked for.
func TestSide(t *testing.T) {
	g := mnk.TicTacToe()
	for _, side := range []game.Side{game.First, game.Second} {
		v := newVector(t, g, entrant(t, g, "random"), env.Config{Games: 5, Side: side, Workers: 1})
		if err := v.Reset(t.Context(), nil, nil); err != nil {
			t.Fatal(err)
		}
		for i := range v.Len() {
			if opened := len(v.Moves(i)) == 1; v.Viewer(i) != side || opened != (side == game.Second) {
				t.Errorf("the caller asked for the %v, and plays the %v after %v", side, v.Viewer(i), v.Moves(i))
			}
		}
	}
}

// Both sides of a placement game can look at any time: each sees its own stones first, and whether it is the first player.
func TestObserve(t *testing.T) {
	v := newVector(t, mnk.TicTacToe(), nil, env.Default())
	if err := v.Reset(t.Context(), nil, nil); err != nil {
		t.Fatal(err)
	}
	for _, a := range []game.Action{0, 4, 1} {
		if err := v.Step(t.Context(), []game.Action{a}); err != nil {
			t.Fatal(err)
		}
	}
	x, o, last := []float32{1, 1, 0, 0, 0, 0, 0, 0, 0}, []float32{0, 0, 0, 0, 1, 0, 0, 0, 0}, []float32{0, 1, 0, 0, 0, 0, 0, 0, 0}
	ones, zeros := slices.Repeat([]float32{1}, 9), make([]float32, 9)
	for side, want := range map[game.Side][]float32{
		game.First:  slices.Concat(x, o, last, ones),
		game.Second: slices.Concat(o, x, last, zeros),
	} {
		got := make([]float32, 36)
		if v.Observe(0, side, got); !slices.Equal(got, want) {
			t.Errorf("the %v sees %v, want %v", side, got, want)
		}
	}
}

// failing is an opponent that fails from some call on.
type failing struct {
	players.Answerer[mnk.State]
	left int
}

var errFailing = errors.New("it does not work")

func (p *failing) Choose(ctx context.Context, lines []players.Line[mnk.State], rngs []*rand.Rand, moves []game.Action) error {
	if err := p.Answerer.Choose(ctx, lines, rngs, moves); err != nil {
		return err
	}
	if p.left--; p.left < 0 {
		return errFailing
	}
	return nil
}

// A call that fails leaves everything as it was, also what chance has in store. If the opponent fails, all games must be
// reset.
func TestErrorsChangeNothing(t *testing.T) {
	g := mnk.TicTacToe()
	working := *entrant(t, g, "random")
	var opponent *failing
	flaky := &players.Player[mnk.State]{Name: "flaky", New: func() (players.Answerer[mnk.State], error) {
		p, err := working.New()
		opponent = &failing{p, 1 << 30}
		return opponent, err
	}}
	c := env.Config{Games: 3, Seed: 5, Side: game.First, Workers: 1}
	broken, sound := newVector(t, g, flaky, c), newVector(t, g, &working, c)
	if err := broken.Step(t.Context(), make([]game.Action, 3)); err == nil {
		t.Error("a step before the first reset succeeds")
	}
	if err := broken.Reset(t.Context(), nil, []int{0}); err == nil {
		t.Error("a part is reset before the whole")
	}
	both := func(do func(env.Games) error) {
		t.Helper()
		if err := errors.Join(do(broken), do(sound)); err != nil {
			t.Fatal(err)
		}
	}
	both(func(v env.Games) error { return v.Reset(t.Context(), nil, nil) })
	both(func(v env.Games) error { return v.Step(t.Context(), []game.Action{0, 1, 2}) })
	before := lookAll(broken)
	occupied := broken.Moves(1)[0]
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for what, call := range map[string]func() error{
		"an illegal move":        func() error { return broken.Step(t.Context(), []game.Action{8, occupied, 8}) },
		"an action too large":    func() error { return broken.Step(t.Context(), []game.Action{8, 9, 8}) },
		"an action too small":    func() error { return broken.Step(t.Context(), []game.Action{8, -2, 8}) },
		"too few actions":        func() error { return broken.Step(t.Context(), []game.Action{8, 8}) },
		"a game that is not one": func() error { return broken.Reset(t.Context(), nil, []int{0, 3}) },
		"a cancelled step":       func() error { return broken.Step(cancelled, []game.Action{8, 8, 8}) },
	} {
		if err := call(); err == nil {
			t.Errorf("%s succeeds", what)
		}
		if got := lookAll(broken); !reflect.DeepEqual(got, before) {
			t.Fatalf("%s changes\n%+v to\n%+v", what, before, got)
		}
	}
	both(func(v env.Games) error { return v.Reset(t.Context(), nil, []int{2}) })
	both(func(v env.Games) error { return v.Step(t.Context(), []game.Action{game.None, game.None, 4}) })
	if a, b := lookAll(broken), lookAll(sound); !reflect.DeepEqual(a, b) {
		t.Errorf("after errors the games go on as\n%+v, without as\n%+v", a, b)
	}
	opponent.left = 0
	step := func() error {
		return broken.Step(t.Context(), []game.Action{anyMove(broken, 0, random.New(1, random.Test)), game.None, game.None})
	}
	if err := step(); !errors.Is(err, errFailing) {
		t.Errorf("an opponent that fails gives the error %v", err)
	}
	opponent.left = 1 << 30
	if step() == nil || broken.Reset(t.Context(), nil, []int{0}) == nil {
		t.Error("the games go on after the opponent has failed")
	}
	if err := errors.Join(broken.Reset(t.Context(), nil, nil), step()); err != nil {
		t.Error(err)
	}
}

// After the end of a game, a move is an error or begins another, as the configuration says.
func TestEnd(t *testing.T) {
	for _, auto := range []bool{false, true} {
		v := newVector(t, mnk.TicTacToe(), nil, env.Config{Games: 1, AutoReset: auto, Workers: 1})
		if err := v.Reset(t.Context(), nil, nil); err != nil {
			t.Fatal(err)
		}
		for _, a := range []game.Action{0, 3, 1, 4, 2} {
			if err := v.Step(t.Context(), []game.Action{a}); err != nil {
				t.Fatal(err)
			}
		}
		if first, over := v.Outcome(0); !over || first != 1 || v.Reward(0) != 1 || len(v.Legal(0)) != 0 {
			t.Errorf("three in a row are worth %v to the first player, %v to whoever made them; legal: %v", first, v.Reward(0), v.Legal(0))
		}
		if err := v.Step(t.Context(), []game.Action{game.None}); err != nil || v.Reward(0) != 0 || len(v.Moves(0)) != 5 {
			t.Errorf("left alone, it is %v with the reward %v, error %v", v.Moves(0), v.Reward(0), err)
		}
		err := v.Step(t.Context(), []game.Action{5})
		if auto && err != nil || !auto && (err == nil || err.Error() != "game 0: it is over: reset it before the next move") {
			t.Errorf("with AutoReset %v, a move after the end gives the error %v", auto, err)
		}
		if _, over := v.Outcome(0); over == auto || auto && len(v.Moves(0)) != 0 {
			t.Errorf("with AutoReset %v, the game after the end is %v", auto, v.Moves(0))
		}
	}
}

// Where the configuration says so, an illegal move loses.
func TestIllegalLoses(t *testing.T) {
	g := mnk.TicTacToe()
	for _, opponent := range []*players.Player[mnk.State]{nil, entrant(t, g, "random")} {
		v := newVector(t, g, opponent, env.Config{Games: 1, Side: game.Second, IllegalLoses: true, Workers: 1})
		if err := v.Reset(t.Context(), nil, nil); err != nil {
			t.Fatal(err)
		}
		if opponent == nil {
			if err := v.Step(t.Context(), []game.Action{0}); err != nil {
				t.Fatal(err)
			}
		}
		if err := v.Step(t.Context(), v.Moves(0)); err != nil {
			t.Fatal(err)
		}
		if first, over := v.Outcome(0); !over || first != 1 || v.Reward(0) != -1 || len(v.Legal(0)) != 0 {
			t.Errorf("the second player's illegal move is worth %v to the first player, %v to the second; over: %v", first, v.Reward(0), over)
		}
	}
}

// Without an opponent, a step allocates next to nothing, and an observation nothing.
func TestLittleIsAllocated(t *testing.T) {
	g := connect4.Standard()
	v := newVector(t, g, nil, env.Config{Games: 32, AutoReset: true, Workers: 1})
	if err := v.Reset(t.Context(), nil, nil); err != nil {
		t.Fatal(err)
	}
	rng, actions, planes, ctx := random.New(1, random.Test), make([]game.Action, 32), make([]float32, game.InputLen(g)), t.Context()
	step := func() {
		for i := range actions {
			actions[i] = anyMove(v, i, rng)
			v.Observe(i, game.Second, planes)
		}
		if err := v.Step(ctx, actions); err != nil {
			t.Fatal(err)
		}
	}
	for range 100 {
		step()
	}
	if n := testing.AllocsPerRun(200, step); n > 1 {
		t.Errorf("a step allocates %v times", n)
	}
}

// Configurations out of range, and opponents that cannot be made, are refused.
func TestNewRefuses(t *testing.T) {
	g := mnk.TicTacToe()
	for _, c := range []env.Config{{Games: 0, Workers: 1}, {Games: 1<<16 + 1, Workers: 1}, {Games: 1, Workers: 0}, {Games: 1, Workers: 1025}} {
		if c.Validate() == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
	broken := &players.Player[mnk.State]{New: func() (players.Answerer[mnk.State], error) { return nil, errFailing }}
	if _, err := env.New(g, broken, env.Default()); !errors.Is(err, errFailing) {
		t.Errorf("an opponent that cannot be made gives the error %v", err)
	}
}

// BenchmarkStep is a step of 256 games of Connect Four.
func BenchmarkStep(b *testing.B) {
	g := connect4.Standard()
	v := newVector(b, g, nil, env.Config{Games: 256, AutoReset: true, Workers: 1})
	if err := v.Reset(b.Context(), nil, nil); err != nil {
		b.Fatal(err)
	}
	rng, actions := random.New(1, random.Test), make([]game.Action, 256)
	for b.Loop() {
		for i := range actions {
			actions[i] = anyMove(v, i, rng)
		}
		if err := v.Step(b.Context(), actions); err != nil {
			b.Fatal(err)
		}
	}
}

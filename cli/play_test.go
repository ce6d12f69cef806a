package cli

import (
	"errors"
	"io"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"tengen/engine"
	"tengen/game"
	"tengen/game/mnk"
	"tengen/players"
	"tengen/selfplay/cluster/clustertest"
)

// Each side has its colour, and the last move stands out.
func TestColour(t *testing.T) {
	e, err := engine.Open("tictactoe")
	if err != nil {
		t.Fatal(err)
	}
	p, err := e.Parse("a1 b2")
	if err != nil {
		t.Fatal(err)
	}
	board := drawBoard(p, true)
	for _, want := range []string{"\x1b[1;33m X ", "\x1b[1;36;7m(O"} {
		if !strings.Contains(board, want) {
			t.Errorf("%q is not in %q", want, board)
		}
	}
	if plain := drawBoard(p, false); strings.Contains(plain, "\x1b") {
		t.Errorf("%q has colour", plain)
	}
}

// Two programs play one move after another, and then to the end.
func TestWatchedPrograms(t *testing.T) {
	e, err := engine.Open("tictactoe")
	if err != nil {
		t.Fatal(err)
	}
	random := players.Spec{Kind: players.KindRandom}
	opt := playOptions{seats: [2]players.Spec{random, random}, position: e.Start(), live: players.Default()}
	var out strings.Builder
	cmd := newPlay()
	cmd.SetIn(strings.NewReader("\ngo\nquit\n"))
	cmd.SetOut(&out)
	p := newLivePlay(t.Context(), cmd, e, opt)
	defer p.stop()
	for i := range p.programs {
		if p.programs[i], err = p.thinker(random); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.run(t.Context()); !errors.Is(err, errQuit) {
		t.Error(err)
	}
	moves, asked := strings.Count(out.String(), " plays "), strings.Count(out.String(), "quit> ")
	if moves < 5 || moves != len(p.position.Moves) || asked != 3 {
		t.Errorf("%d moves, %d prompts:\n%s", moves, asked, &out)
	}
}

func TestOpinion(t *testing.T) {
	if got := opinion(players.Report{Analysis: &players.Analysis{Value: 0.5, Simulations: 1}}); got != "value +0.50, 1 simulation" {
		t.Errorf("the opinion is %q", got)
	}
}

// A game that ends before its input leaves nothing running.
func TestPlayLeavesTheRestUnread(t *testing.T) {
	defer goleak.VerifyNone(t, clustertest.Leaks...)
	for _, in := range []string{"quit\na1\na2\n", "a1\nquit\na2\n"} { // given up, and won with a1
		code, out, errOut := cli(t.Context(), strings.NewReader(in), "play", "--against", "human", "--game", "mnk:3,1,1")
		if code != exitOK || errOut != "" {
			t.Errorf("%q: exit status %d\n%s%s", in, code, out, errOut)
		}
	}
}

// A side that cannot move passes by itself, and the pass is taken back with the move before it. Pieces move from a cell
// to a cell.
func TestPlayPassesAndPieces(t *testing.T) {
	const line = "e6 f6 d3 e7 e8 d8 g6 f8 "
	for name, test := range map[string]struct{ in, want string }{
		"othello":          {line + "quit ", "X 8, O 4\nO to move> Moves: " + line + "pass\n"},
		"othello:8":        {line + "undo moves quit ", "X 9, O 2\nO to move> e6 f6 d3 e7 e8 d8 g6\n"},
		"breakthrough:3,5": {"a2a3 c4b3 a3b4 b3c2 b4c5 ", "X wins."},
		"go:5,3.5":         {"c3 pass pass ", "1  .  .  .  .  .\n   a  b  c  d  e\nX 25, O 0 + 3.5\nX wins by 21.5.\nMoves: c3 pass pass\n"},
	} {
		in := strings.NewReader(strings.ReplaceAll(test.in, " ", "\n"))
		code, out, errOut := cli(t.Context(), in, "play", "--against", "human", "--game", name)
		if code != exitOK || errOut != "" || !strings.Contains(out, test.want) {
			t.Errorf("%s: exit status %d, want %q in\n%s%s", name, code, test.want, out, errOut)
		}
	}
}

// An engine that thinks while the person does answers a move, a hint and a move taken back, and ends with the game.
func TestPlayPonders(t *testing.T) {
	defer goleak.VerifyNone(t, clustertest.Leaks...)
	for _, against := range []string{"uct:50", "net:connect4:20", "alphabeta:3", "random"} {
		in := "4\nhint\nundo\n3\n3\n"
		code, out, errOut := cli(t.Context(), strings.NewReader(in), "play", "--against", against, "--game", "connect4", "--ponder")
		silent := errOut == "" || strings.HasPrefix(errOut, "net:connect4 is ") && strings.Count(errOut, "\n") == 1
		if code != exitOK || !silent || strings.Count(out, "X to move: ") != 1 || strings.Count(out, "O plays ") != 3 {
			t.Errorf("%s: exit status %d\n%s%s", against, code, out, errOut)
		}
	}
}

// An input that cannot be read is an error, not the wish to leave.
func TestPlayReportsUnreadableInput(t *testing.T) {
	defer goleak.VerifyNone(t, clustertest.Leaks...)
	in := io.MultiReader(strings.NewReader("a1\n"), failingReader{})
	code, out, errOut := cli(t.Context(), in, "play", "--against", "human", "--game", "tictactoe")
	if code != exitError || errOut != "tengen: cannot read a move: unexpected EOF\n" {
		t.Errorf("exit status %d\n%s%s", code, out, errOut)
	}
}

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// After the game, a person takes the losing move back, plays again, or changes sides; the engine begins where it has the
// first move.
func TestPlayOn(t *testing.T) {
	for _, c := range []struct {
		in    string
		wants []string // in this order
	}{
		{"a1\nmoves\nagain\nb1\n", []string{"You win!", "Moves: a1", "a1\n", "X to move> ", "You win!", "Moves: b1"}},
		{"a1\nundo\nc1\n", []string{"You win!", "X to move> ", "You win!", "Moves: c1"}},
		{"a1\nswap\nundo\nswap\nb1\n", []string{"You win!", "X plays ", "You lose.", "no move to take back", "X to move> ", "You win!"}},
		{"swap\n", []string{"X to move> ", "X plays ", "You lose."}},
		{"level perfect\nlevel\nlevel hard\na1\nb1\n", []string{"The opponent is solver from now on.", "which level? levels are easy, medium", `there is no level "hard": levels are easy, medium, strong, perfect`,
			"You win!", "The game is over: again begins another"}},
	} {
		code, out, errOut := cli(t.Context(), strings.NewReader(c.in), "play", "--against", "uct:10", "--game", "mnk:3,1,1")
		rest := out
		for _, want := range c.wants {
			before, after, found := strings.Cut(rest, want)
			if !found {
				t.Errorf("%q: %q is missing in\n%s\nafter\n%s", c.in, want, rest, before)
				break
			}
			rest = after
		}
		if code != exitOK || errOut != "" {
			t.Errorf("%q: exit status %d\n%s", c.in, code, errOut)
		}
	}
}

// A large board's help names its corners, because hundreds of moves would hide the commands.
func TestHelpOnALargeBoard(t *testing.T) {
	_, out, _ := cli(t.Context(), strings.NewReader("help\n"), "play", "--level", "easy", "--game", "gomoku")
	if !strings.Contains(out, "Moves: the empty cells of a1 to o15\nundo ") {
		t.Error(out)
	}
}

// undo goes back to a turn of the person, no matter who began.
func TestUndo(t *testing.T) {
	for _, c := range []struct {
		against, first, in string
		stones             int // left on the board
	}{
		{"human", "human", "1\n2\n", 2},
		{"human", "human", "1\n2\nundo\n", 1},
		{"human", "human", "1\n2\nundo\nundo\nundo\n", 0},
		{"uct:10", "human", "1\n", 2},
		{"uct:10", "human", "1\nundo\n", 0},
		{"uct:10", "human", "1\nundo\nundo\n", 0},
		{"uct:10", "engine", "", 1},
		{"uct:10", "engine", "undo\n", 1},
		{"uct:10", "engine", "1\n", 3},
		{"uct:10", "engine", "1\n2\nundo\nundo\nundo\n", 1},
	} {
		code, out, errOut := cli(t.Context(), strings.NewReader(c.in), "play", "--against", c.against, "--first", c.first, "--game", "connect4")
		boards := strings.Split(out, "1  2  3  4  5  6  7")
		last := boards[len(boards)-2]
		if got := strings.Count(last, "X") + strings.Count(last, "O"); code != exitOK || got != c.stones {
			t.Errorf("%s first, %q: exit status %d, %d stones on the board, want %d\n%s%s", c.first, c.in, code, got, c.stones, out, errOut)
		}
	}
}

// worded is tic-tac-toe with a move that is called like a command.
type worded struct{ mnk.State }

func (s worded) Play(a game.Action) worded { return worded{s.State.Play(a)} }
func (s worded) Format(a game.Action) string {
	if a == 0 {
		return "swap"
	}
	return s.State.Format(a)
}

type words struct{ *mnk.Game }

func (g words) Start() worded { return worded{g.Game.Start()} }

// A legal move comes before a command of the same name.
func TestMoveNamedLikeACommand(t *testing.T) {
	e := engine.Typed[worded]{Rules: words{mnk.TicTacToe()}}
	human := players.Spec{Kind: players.KindHuman}
	cmd := newPlay()
	cmd.SetIn(strings.NewReader(""))
	cmd.SetOut(io.Discard)
	p := newLivePlay(t.Context(), cmd, e, playOptions{seats: [2]players.Spec{human, {Kind: players.KindRandom}}, position: e.Start()})
	defer p.stop()
	for _, want := range []string{"swap", "swap"} { // the second is the command
		if changed, err := p.obey(t.Context(), "Swap"); !changed || err != nil || p.position.Notation() != want {
			t.Errorf("the moves are %q, %v; want %q", p.position.Notation(), err, want)
		}
	}
	if isHuman(p.seats[0]) {
		t.Error("the sides are as before")
	}
}

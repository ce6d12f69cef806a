package transcript_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tengen/engine"
	"tengen/engine/transcript"
	"tengen/game"
	"tengen/run/games"
)

func init() { games.Register() }

func open(t testing.TB, name string) engine.Game {
	t.Helper()
	e, err := engine.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// written returns a game in a line: its name, its lines of play, and who resigned.
func written(g transcript.Game) string {
	var lines []string
	for _, p := range g.Lines {
		lines = append(lines, p.Notation())
	}
	text := g.Info().Name + ": " + strings.Join(lines, " | ")
	if g.Resigned != game.Nobody {
		text += ", " + engine.SideName(g.Resigned) + " resigned"
	}
	return text
}

// Othello's record without its passes is a draw.
const (
	withoutPasses = "d3c5f6f5f4c3c4d2e2b4d1f3b5e3f2f1a4d6e6e7f7b6e8c6b3a5d7a3e1a6g1a2c2c7b8d8c8g8g6h6g5h5g4h4h3g7h8f8h7a8a7b7a1b2g3g2h2h1c1b1"
	withPasses    = "d3 c5 f6 f5 f4 c3 c4 d2 e2 b4 d1 f3 b5 e3 f2 f1 a4 d6 e6 e7 f7 b6 e8 c6 b3 a5 d7 a3 e1 a6 g1 a2 c2 c7 b8 d8 c8 g8 g6 h6 " +
		"g5 h5 g4 h4 h3 g7 h8 f8 h7 a8 a7 b7 a1 b2 g3 g2 h2 h1 pass c1 b1"
	ggf    = `(;GM[Othello]PC[x]PB[a]PW[b]RE[?]TI[5:00]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]`
	passed = "e4 c5 b6 c6 b5 a4 b2 a6" // on a board of 6, whose second player must pass
)

func TestRead(t *testing.T) {
	for _, test := range []struct{ game, text, want string }{
		{"connect4", "", "connect4: "},
		{"connect4", "\uFEFF 44 353\r\n", "connect4: 44353"},
		{"connect4", "1. 4 4 2. 3?! 5 3... 3!", "connect4: 44353"},
		{"gomoku", "1. h8 I9?! 2... , ; 2. a1+", "gomoku: h8 i9 a1"},
		{"gomoku", "1.H8 2.i9 3.j10", "gomoku: h8 i9 j10"},
		{"gomoku", "[Event \"?\"]\r\n[Date \"2026/1/2\"]\r\n\r\n1. h8 i9\r\n2. j10 1-0\r\n", "gomoku: h8 i9 j10"},
		{"othello", withoutPasses, "othello: " + withPasses},
		{"othello", strings.ReplaceAll(withPasses, "pass", "--"), "othello: " + withPasses},
		{"othello", strings.ToUpper(strings.ReplaceAll(withPasses, " pass ", "PA")), "othello: " + withPasses},
		{"othello", "1. F5 f4 2. F3", "othello: f5 f4 f3"},
		{"othello", "f5-d6-c3", "othello: f5 d6 c3"},
		{"othello:6", passed + " PS", "othello:6: " + passed + " pass"},
		{"othello:6", passed + ", @@", "othello:6: " + passed + " pass"},
		{"othello:6", passed, "othello:6: " + passed},
		{"breakthrough", "b2-b3 g7-g6", "breakthrough: b2b3 g7g6"},
		{"breakthrough:4,6", "1. b2-b3 c5xd4 2. B3:c4", "breakthrough:4,6: b2b3 c5d4 b3c4"},
		{"othello", ggf + "B[F5//2.4]W[D6/0.00]B[C5//1.3]W[F4/1.00];)", "othello: f5 d6 c5 f4"},
		{"othello", "1 " + ggf + "B[f5];)", "othello: f5"},
		{"othello", "(;GM[2]SZ[8];B[d3];W[c5])", "othello: d3 c5"},
		{"othello", "(;GM[2]SZ[8];B[dc];W[ce])", "othello: d3 c5"},
		{"gomoku", "(;FF[3]GaMe[4]SiZe[15];Black[hh];White[ii])", "gomoku: h8 i7"},
		{"gomoku", "(;FF[4]GN[othello]AP[other]C[a \\] ;B[aa\\] (]SZ[15:15]RE[W+Resign]\n;B\n[hh]C[x/y](;W[ii];B[jj])(;W[ji]C[;(])(;C[none]))", "gomoku: h8 i7 j6 | h8 j7, first resigned"},
		{"gomoku", "(;SZ[15](;B[aa])(;B[oo]))", "gomoku: a15 | o1"},
		{"mnk:20,20,5", "(;SZ[20];B[tt];W[at])", "mnk:20,20,5: t1 a1"},
		{"gomoku", "(;AP[tengen:2]GN[connect4]SZ[7:6];B[df];W[de])", "connect4: 44"},
		{"go:5", "1. c3 d3 2. pass Pass", "go:5,24: c3 d3 pass pass"},
		{"go", "(;GM[1]SZ[9]KM[7.0]HA[0]RE[B+74];B[ee];W[];B[tt];W[])", "go: e5 pass pass"},
		{"go:9x7,6.5", "(;FF[4]GM[1]SZ[9:7]KM[6.5](;B[ag])(;B[aa];W[ig]RE[W+R]))", "go:9x7,6.5: a1 | a7 j1"},
		{"go:5,0.5", "(;B[ab];W[aa];B[ba]TB[aa];W[cc]CR[aa])", "go:5,0.5: a4 a5 b5 c3"},
		{"breakthrough", "(;B[b2b3](;W[b7b6])(;W[a7a6]))", "breakthrough: b2b3 b7b6 | b2b3 a7a6"},
	} {
		g, err := transcript.Read(open(t, test.game), test.text)
		if err != nil {
			t.Errorf("%s, %q: %v", test.game, test.text, err)
		} else if got := written(g); got != test.want {
			t.Errorf("%s, %q is read as\n%s; want\n%s", test.game, test.text, got, test.want)
		}
	}
}

// The message of every error is what people see.
func TestErrors(t *testing.T) {
	for _, test := range []struct{ game, text, want string }{
		{"connect4", ",", `"," has no moves`},
		{"connect4", "1.", `"1." has no moves`},
		{"connect4", "hello world", `move 1, "hello", is not legal here: legal are 1, 2, 3, 4, 5, 6, 7`},
		{"connect4", "8.8 9.9", `move 1, "8", is not legal here: legal are 1, 2, 3, 4, 5, 6, 7`},
		{"connect4", "3. 3 4. 4", `move 2, ".", is not legal here: legal are 1, 2, 3, 4, 5, 6, 7`},
		{"connect4", "1.4 2.4", `move 2, ".4", is not legal here: legal are 1, 2, 3, 4, 5, 6, 7`},
		{"gomoku", "8.8 9.9", `move 1, "8.8", is not legal here: legal are a15, b15, c15, d15, e15, f15, g15, h15, i15, j15, k15, l15 and 213 more`},
		{"gomoku", "1. h8 2. q9 3. a1", `move 2, "q9", is not legal here: legal are a15, b15, c15, d15, e15, f15, g15, h15, i15, j15, k15, l15 and 212 more`},
		{"gomoku", "h8 h8xi9", `move 2, "h8", is not legal here: legal are a15, b15, c15, d15, e15, f15, g15, h15, i15, j15, k15, l15 and 212 more`},
		{"othello", "d3c5c1b1", `move 3, "c1", is not legal here: legal are b6, c6, d6, e6, f6`},
		{"othello", "f5-z6-c3", `move 2, "z6", is not legal here: legal are f4, d6, f6`},
		{"othello", "f5 d6 pass", `move 3, "pass", is not legal here: legal are c3, c4, c5, c6, c7`},
		{"othello:6", passed + " zz", `move 10, "zz", is not legal here: legal are c2, e2, e3`},
		{"gomoku", "(;FF[4]GM[4]SZ[15];B[zz];W[ii])", `move 1, "zz", is not on the board`},
		{"gomoku", "(;B[hh];W[hh])", `move 2, "hh", is not legal here`},
		{"gomoku", "(;B[hh](;W[ii])(;W[hh]))", `move 2, "hh", is not legal here`},
		{"gomoku", "(;B[hh];B[ii])", `move 2, "ii", is by the side that is not to move: only games in which the sides alternate can be read`},
		{"gomoku", "(;W[hh])", `move 1, "hh", is by the side that is not to move: only games in which the sides alternate can be read`},
		{"gomoku", "(;B[hh];W[])", `move 2, "pass", is not legal here`},
		{"gomoku", "(;B[hh];W)", `")" is not understood`},
		{"gomoku", "(;AB[hh][ii];W[jj])", `the text puts stones on the board, AB[hh]: only games from the start can be read`},
		{"gomoku", "(;SZ[19];B[aa])", `the text is for a board of 19×19, but gomoku has 15×15: choose the game mnk:19,19,5 first`},
		{"gomoku", "(;SZ[15:14];B[aa])", `the text is for a board of 15×14, but gomoku has 15×15: choose the game mnk:15,14,5 first`},
		{"gomoku", "(;SZ[99];B[aa])", `the text is for a board of 99×99, but gomoku has 15×15: choose its game first`},
		{"go", "(;GM[1]SZ[9]KM[6.50];B[aa])", `the text has komi 6.50, but go has 7: choose the game go:9,6.5 first`},
		{"go:5", "(;SZ[19]KM[0.5];B[aa])", `the text is for a board of 19×19, but go:5,24 has 5×5: choose the game go:19,0.5 first`},
		{"go", "(;SZ[5:6];B[aa])", `the text is for a board of 5×6, but go has 9×9: choose the game go:5x6,7 first`},
		{"go", "(;SZ[7];B[aa])", `the text is for a board of 7×7, but go has 9×9: choose the game go:7,9 first`},
		{"go", "(;KM[-5];B[aa])", `the text has komi -5, but go has 7: choose its game first`},
		{"go", "(;KM[some];B[aa])", `the text has komi some, but go has 7: choose its game first`},
		{"go", "(;GM[4]SZ[9];B[aa])", `the text is of another kind, GM[4], than go: choose its game first`},
		{"go", "(;GM[1]HA[2]AB[cc][gg];W[aa])", `the text begins at another position than go: only games from the start can be read`},
		{"go", "(;GM[1]AB[cc][gg];W[aa])", `the text puts stones on the board, AB[cc]: only games from the start can be read`},
		{"go", "(;B[ab];W[ee];B[ba];W[aa])", `move 4, "aa", is not legal here`},
		{"go", "(;B[];W[];B[aa])", `move 3, "aa", comes after the end of the game`},
		{"gomoku", "(;GM[2];B[d3])", `the text is of another kind, GM[2], than gomoku: choose its game first`},
		{"othello", "(;GM[1];B[d3])", `the text is of another kind, GM[1], than othello: choose its game first`},
		{"othello", "(;GM[2]HA[2];B[d3])", `the text begins at another position than othello: only games from the start can be read`},
		{"gomoku", ggf + "B[F5];)", `the text is of another kind, GM[othello], than gomoku: choose its game first`},
		{"othello:6", ggf + "B[F5];)", `the text begins at another position than othello:6: only games from the start can be read`},
		{"othello", strings.Replace(ggf, "O*", "*O", 1) + "B[F5];)", `the text begins at another position than othello: only games from the start can be read`},
		{"othello", ggf + "B[F5]W[A1//3];)", `move 2, "A1", is not legal here`},
		{"gomoku", "(;B[aa])(;B[bb])", `the text has several games: give one`},
		{"gomoku", "(;B[aa]) and more", `"and" is not understood`},
		{"gomoku", "(;B[aa];W[bb]", `the text ends before its last bracket is closed`},
		{"gomoku", "(;B[aa];W[bb", `"[bb" is not understood`},
		{"gomoku", "(;b[aa];w[bb])", `"[aa];w[bb])" is not understood`},
		{"gomoku", "(;B[aa](;W[bb]);W[cc])", `";W[cc])" is not understood`},
		{"gomoku", "(;[aa])", `"[aa])" is not understood`},
		{"gomoku", "(;AP[tengen]GN[chess];B[aa])", `game "chess" is unknown: write connect4 or connect4:COLUMNS,ROWS,K, tictactoe, gomoku, mnk:COLUMNS,ROWS,K[,exact][,caro], othello or othello:SIDE, breakthrough or breakthrough:COLUMNS,ROWS, go or go:SIDE[,KOMI] or go:COLUMNSxROWS,KOMI`},
		{"tictactoe", "a1 b1 a2 b2 a3 b3", `move 6, "b3", comes after the end of the game`},
		{"tictactoe", "(;B[aa];W[ba];B[ab];W[bb];B[ac];W[bc])", `move 6, "bc", comes after the end of the game`},
	} {
		g, err := transcript.Read(open(t, test.game), test.text)
		if err == nil {
			t.Errorf("%s, %q is read as %s", test.game, test.text, written(g))
		} else if !errors.As(err, new(engine.InputError)) || err.Error() != test.want {
			t.Errorf("%s, %q: %v; want %s", test.game, test.text, err, test.want)
		}
	}
}

// A position is a board or a game, which has slashes, too.
func TestPosition(t *testing.T) {
	const board = "......../......../......../...OX.../...XXX../......../......../........"
	for _, test := range []struct{ game, text, want string }{
		{"tictactoe", ".../.O./(X)..", "....O.X.."},
		{"tictactoe", "(;C[1/2];B[ac];W[bb])", "....O.X.."},
		{"tictactoe", "1. a1 b2", "....O.X.."},
		{"othello", board, "whose turn it is"},
		{"othello:4", ".....OX..XO..... O", ".....OX..XO....."},
		{"tictactoe", "(;AP[tengen]GN[connect4];B[df])", "the text is a game of connect4, but this is tictactoe"},
	} {
		p, err := transcript.Position(open(t, test.game), test.text)
		got := ""
		for _, side := range p.Cells {
			got += map[game.Side]string{game.First: "X", game.Second: "O", game.Nobody: "."}[side]
		}
		if got != test.want && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s, %q is read as %s, %v; want %s", test.game, test.text, got, err, test.want)
		}
	}
}

// A record of Othello without its passes gives the position that a simple board gives, on which passes are no moves.
func TestOthelloWithoutPasses(t *testing.T) {
	e, rng := open(t, "othello"), rand.New(rand.NewPCG(1, 2))
	for played, passed := 0, 0; played < 300 || passed < 99; played++ {
		p, text, board := e.Start(), "", newSimpleOthello()
		for !p.Over {
			a := p.Legal[rng.IntN(len(p.Legal))]
			if name := p.Format(a); name != "pass" {
				text += name
				board.put(t, int(name[0]-'a'), int(name[1]-'1'))
			}
			p, _ = p.Play(a)
		}
		g, err := transcript.Read(e, text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		read := g.Lines[0]
		if !slices.Equal(read.Moves, p.Moves) || !slices.Equal(read.Cells, board.cells[:]) || !read.Over {
			t.Fatalf("%s is read as %s, with\n%s", text, read.Notation(), read)
		}
		if len(text) < 2*len(p.Moves) {
			passed++
		}
	}
}

// simpleOthello is Othello in which a side that has no move does not pass, but waits.
type simpleOthello struct {
	cells [64]game.Side
	mover game.Side
}

func newSimpleOthello() *simpleOthello {
	o := &simpleOthello{mover: game.First}
	o.cells[27], o.cells[28], o.cells[35], o.cells[36] = game.Second, game.First, game.First, game.Second
	return o
}

// turned returns the discs that a disc of the side turns over.
func (o *simpleOthello) turned(column, row int, side game.Side) (cells []int) {
	for d := range 9 {
		var run []int
		for x, y := column+d%3-1, row+d/3-1; d != 4 && 0 <= x && x < 8 && 0 <= y && y < 8; x, y = x+d%3-1, y+d/3-1 {
			if o.cells[8*y+x] == side {
				cells = append(cells, run...)
			}
			if o.cells[8*y+x] != side.Opponent() {
				break
			}
			run = append(run, 8*y+x)
		}
	}
	return cells
}

// put puts a disc of the side to move or, if it cannot move, of the other.
func (o *simpleOthello) put(t *testing.T, column, row int) {
	waits := true
	for i, side := range o.cells {
		waits = waits && (side != game.Nobody || len(o.turned(i%8, i/8, o.mover)) == 0)
	}
	if waits {
		o.mover = o.mover.Opponent()
	}
	cells := o.turned(column, row, o.mover)
	if len(cells) == 0 || o.cells[8*row+column] != game.Nobody {
		t.Fatalf("no disc of %v can be put on column %d, row %d", o.mover, column, row)
	}
	for _, i := range append(cells, 8*row+column) {
		o.cells[i] = o.mover
	}
	o.mover = o.mover.Opponent()
}

func TestWrite(t *testing.T) {
	for _, test := range []struct {
		game     string
		lines    []string
		resigned game.Side
		want     string
	}{
		{"gomoku", nil, game.Nobody, "(;FF[4]CA[UTF-8]AP[tengen]GM[4]GN[gomoku]SZ[15])\n"},
		{"gomoku", []string{"h8 i9 j10", "h8 i9 a1", "h8 a15", "a15"}, game.First,
			"(;FF[4]CA[UTF-8]AP[tengen]GM[4]GN[gomoku]SZ[15]RE[W+R](;B[hh](;W[ig](;B[jf])(;B[ao]))(;W[aa]))(;B[aa]))\n"},
		{"connect4", []string{"1212121", "44"}, game.Nobody,
			"(;FF[4]CA[UTF-8]AP[tengen]GM[4]GN[connect4]SZ[7:6]RE[B+](;B[af];W[bf];B[ae];W[be];B[ad];W[bd];B[ac])(;B[df];W[de]))\n"},
		{"tictactoe", []string{"a1 b2 c3 a3 c1 b1 b3 c2 a2"}, game.Nobody,
			"(;FF[4]CA[UTF-8]AP[tengen]GM[4]GN[tictactoe]SZ[3]RE[Draw];B[ac];W[bb];B[ca];W[aa];B[cc];W[bc];B[ba];W[cb];B[ab])\n"},
		{"othello:6", []string{passed + " pass"}, game.Second,
			"(;FF[4]CA[UTF-8]AP[tengen]GM[2]GN[othello:6]SZ[6]RE[B+R];B[ed];W[ce];B[bf];W[cf];B[be];W[ad];B[bb];W[af];B[])\n"},
		{"othello", []string{"e6 f4 e3 f6 g5 d6 e7 f5 c5"}, game.Nobody,
			"(;FF[4]CA[UTF-8]AP[tengen]GM[2]GN[othello]SZ[8]RE[B+13];B[ef];W[fd];B[ec];W[ff];B[ge];W[df];B[eg];W[fe];B[ce])\n"},
		{"go:3x2,0.5", []string{"b2 a1 pass pass", "b2 pass"}, game.Nobody,
			"(;FF[4]CA[UTF-8]AP[tengen]GM[1]GN[go:3x2,0.5]SZ[3:2]KM[0.5]RE[W+0.5];B[ba](;W[ab];B[];W[])(;W[]))\n"},
		{"breakthrough", []string{"b2b3 g7g6", "a2a3"}, game.Nobody, "b2b3\ng7g6\n"},
		{"breakthrough", nil, game.First, ""},
	} {
		g := transcript.Game{Game: open(t, test.game), Resigned: test.resigned}
		for _, line := range test.lines {
			p, err := g.Parse(line)
			if err != nil {
				t.Fatal(err)
			}
			g.Lines = append(g.Lines, p)
		}
		text, sgf := transcript.Write(g)
		if text != test.want || sgf != strings.HasPrefix(test.want, "(") {
			t.Errorf("%s %v is written as %q, %t; want %q", test.game, test.lines, text, sgf, test.want)
		}
		if again, err := transcript.Read(open(t, "gomoku"), text); sgf && len(test.lines) > 0 && (err != nil || written(again) != written(g)) {
			t.Errorf("%s %v is read again as %s, %v", test.game, test.lines, written(again), err)
		}
	}
}

// No text panics. What is read is legal, and the same once it is written and read again.
func FuzzRead(f *testing.F) {
	all := []string{"gomoku", "othello:6", "connect4", "breakthrough:4,6", "mnk:20,20,5", "go:5"}
	for i, text := range []string{
		"1. h8 i9?! 2... j10+", passed + "--", "44353", "1. b2-b3 c5xb4", "(;SZ[20](;B[tt];W[aa]RE[B+R])(;B[as]))", "(;GM[2]SZ[6];B[ed];W[ce]B[])", ggf,
		"(;AP[tengen]GN[connect4]SZ[7:6];B[df](;W[de])(;W[af]))", "[A \"b\"]\n1. h8 1-0", "(;GaMe[4]Black[h\\]h])", "8.8 9.9", "(;GM[1]SZ[5]KM[24];B[aa];W[];B[tt])",
	} {
		f.Add(text, byte(i))
	}
	f.Fuzz(func(t *testing.T, text string, number byte) {
		e := open(t, all[int(number)%len(all)])
		g, err := transcript.Read(e, text)
		if err != nil {
			return
		}
		for _, p := range g.Lines {
			if _, err := g.Replay(p.Moves); err != nil {
				t.Fatalf("%q is read as %s: %v", text, written(g), err)
			}
			if len(p.Moves) == 0 && strings.TrimSpace(strings.TrimPrefix(text, "\uFEFF")) != "" && !strings.Contains(text, ";") {
				t.Fatalf("%q is read as no moves", text)
			}
		}
		again, sgf := transcript.Write(g)
		want := written(g)
		if !sgf { // the main line alone
			want = written(transcript.Game{Game: g, Lines: g.Lines[:1]})
		}
		if got, err := transcript.Read(e, again); err != nil || written(got) != want {
			t.Errorf("%q is read as %s, written as %q, and read as %s, %v", text, written(g), again, written(got), err)
		}
	})
}

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sbinet/npyio/npz"

	"tengen/game"
	"tengen/game/mnk"
	"tengen/replay"
)

// Other programs read of the arrays what the games of the text file say.
func TestReplayExport(t *testing.T) {
	dir := tinyRun(t)
	arrays, text := filepath.Join(t.TempDir(), "games.npz"), filepath.Join(t.TempDir(), "games.txt")
	mustCLI(t, "replay", "export", dir, "--npz", arrays, "--text", text)
	s, sShape := readArray[uint8](t, arrays, "s.npy")
	pi, piShape := readArray[float32](t, arrays, "pi.npy")
	z, zShape := readArray[float32](t, arrays, "z.npy")
	n := len(z)
	for name, shapes := range map[string][2][]int{
		"s": {sShape, {n, 4, 3, 3}}, "pi": {piShape, {n, 9}}, "z": {zShape, {n}},
	} {
		if !slices.Equal(shapes[0], shapes[1]) {
			t.Fatalf("%s has shape %v, want %v", name, shapes[0], shapes[1])
		}
	}
	rules := mnk.TicTacToe()
	planes := make([]float32, 36)
	i := 0
	for game, moves := range exportedGames(t, text, rules) {
		var searched []mnk.State // the first plies may be an opening, of which no position is exported
		state := rules.Start()
		for _, a := range moves {
			searched = append(searched, state)
			state = state.Play(a)
		}
		searched = searched[firstOf(t, searched, s[36*i:]):]
		for _, position := range searched {
			position.Encode(planes)
			for j, x := range planes {
				if float32(s[36*i+j]) != x {
					t.Fatalf("game %d, row %d: planes %v, want %v", game, i, s[36*i:36*i+36], planes)
				}
			}
			checkShares(t, position, pi[9*i:9*i+9])
			last, _ := state.Outcome()
			if want := []float32{last, -last}[(len(moves)-position.Ply())%2]; z[i] != want {
				t.Errorf("game %d, row %d: z is %v, want %v", game, i, z[i], want)
			}
			i++
		}
	}
	if i != n || n == 0 {
		t.Errorf("the text has %d positions, the arrays %d", i, n)
	}
}

// readArray reads an array of an .npz file and its shape.
func readArray[T any](t *testing.T, file, name string) (values []T, shape []int) {
	t.Helper()
	r, err := npz.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.Read(name, &values); err != nil {
		t.Fatal(err)
	}
	return values, r.Header(name).Descr.Shape
}

// exportedGames are the moves of the games in a text file.
func exportedGames(t *testing.T, file string, rules *mnk.Game) (games [][]game.Action) {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(content)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		moves, err := rules.ParseMoves(fields[3])
		if err != nil {
			t.Fatal(err)
		}
		games = append(games, moves)
	}
	return games
}

// firstOf is the index of the position whose planes s begins with.
func firstOf(t *testing.T, positions []mnk.State, s []uint8) int {
	t.Helper()
	planes := make([]float32, 36)
	for i, p := range positions {
		p.Encode(planes)
		if slices.EqualFunc(planes, s[:36], func(x float32, y uint8) bool { return x == float32(y) }) {
			return i
		}
	}
	t.Fatalf("no position of the game has the planes %v", s[:36])
	return 0
}

// checkShares checks that pi is a distribution over legal moves.
func checkShares(t *testing.T, s mnk.State, pi []float32) {
	t.Helper()
	sum := float32(0)
	for a, p := range pi {
		if p < 0 || p > 0 && !slices.Contains(s.Legal(nil), game.Action(a)) {
			t.Errorf("share %v of move %d", p, a)
		}
		sum += p
	}
	if sum < 0.9999 || sum > 1.0001 {
		t.Errorf("the shares %v add up to %v", pi, sum)
	}
}

// A game by hand, of which every number is known.
func TestReplayColumns(t *testing.T) {
	g := &replay.Record{Opening: 1, Outcome: -1, ResignPly: -1, Moves: []game.Action{0, 4, 8}, Values: []float32{0, 0}}
	g.Visits.Append([]float32{0, 1, 0, 0, 3, 0, 0, 0, 0})
	g.Visits.Append([]float32{0, 0, 0, 0, 0, 0, 0, 0, 2})
	b := bound[mnk.State]{game: mnk.TicTacToe()}
	floats := func(values ...float32) (b []byte) {
		for _, x := range values {
			b = appendFloat32(b, x)
		}
		return b
	}
	want := map[string][]byte{
		"s": {
			0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
			1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1,
		},
		"pi": floats(0, 0.25, 0, 0, 0.75, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1),
		"z":  floats(1, -1),
	}
	for _, c := range b.columns() {
		if got := c.rows(nil, b.game.Start(), g); !slices.Equal(got, want[c.name]) {
			t.Errorf("%s:\n%v, want\n%v", c.name, got, want[c.name])
		}
	}
}

// The beginning of numpy.save for an array of that kind, byte by byte.
func TestNPYHeader(t *testing.T) {
	for _, c := range []struct {
		dtype, want string
		shape       []int
	}{
		{"<f4", "{'descr': '<f4', 'fortran_order': False, 'shape': (7, ), }", []int{7}},
		{"|u1", "{'descr': '|u1', 'fortran_order': False, 'shape': (123456789, 4, 6, 7, ), }", []int{123456789, 4, 6, 7}},
	} {
		h := string(npyHeader(c.dtype, c.shape))
		length := int(h[8]) + int(h[9])<<8
		text := h[10:]
		if !strings.HasPrefix(h, "\x93NUMPY\x01\x00") || len(text) != length || len(h)%64 != 0 ||
			!strings.HasSuffix(text, "\n") || strings.TrimSpace(text) != c.want {
			t.Errorf("%q", h)
		}
	}
}

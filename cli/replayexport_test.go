package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"codeberg.org/sbinet/npyio/npz"

	"tengen/game"
	"tengen/game/mnk"
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
		moves, _, err := game.ParseMoves(rules.Start(), fields[3])
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

package gomocup

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/gametest"
	"tengen/internal/fulltest"
	"tengen/internal/random"
)

// Positions by which Gomocup's judge (GomocupJudge, test_zip_rules.py) finds out whether an engine knows a rule, with the moves
// that show it: to make five; to leave six alone and make an open four; to leave five between two stones alone and stop an open three.
func TestJudgesPositions(t *testing.T) {
	five := []string{"g8", "l8"}
	for _, test := range []struct {
		rule  int
		moves string
		want  []string
	}{
		{0, "h8h9i8i9j8j9k8k9", five},
		{1, "h8h9i8i9j8j9k8k9", five},
		{8, "h8h9i8i9j8j9k8k9", five},
		{9, "h8h9i8i9j8j9k8k9", five},
		{1, "h8h9i8h10g8h11j13h12g14h14i15", []string{"f8", "j8"}},
		{8, "h8f8g8f9i8f7j8l8", []string{"f5", "f6", "f10", "f11"}},
		{9, "h8f8g8f9i8f7j8l8", []string{"f5", "f6", "f10", "f11"}},
	} {
		var stones []string
		moves := spell(t, test.moves)
		for i, at := range moves {
			stones = append(stones, fmt.Sprintf("%d,%d,%d", at[0], at[1], 1+(i+len(moves))%2))
		}
		// As the judge does: START and INFO at once, then BOARD.
		text := fmt.Sprintf("START 15\nINFO timeout_turn 0\nINFO rule %d\nBOARD %s DONE", test.rule, strings.Join(stones, " "))
		got := talk(t, Options{Players: DefaultPlayers("gomoku"), Quiet: true, Seed: 1}, text, 2)[1]
		if !slices.ContainsFunc(test.want, func(move string) bool { at := spell(t, move)[0]; return got == fmt.Sprintf("%d,%d", at[0], at[1]) }) {
			t.Errorf("rule %d after %s: %s; want one of %v", test.rule, test.moves, got, test.want)
		}
	}
}

// spell reads cells as the judge writes them: a letter for x and a number from 1 for y.
func spell(t *testing.T, text string) (cells [][2]int) {
	t.Helper()
	for text != "" {
		digits := 1
		for digits < len(text) && text[digits] >= '0' && text[digits] <= '9' {
			digits++
		}
		y, err := strconv.Atoi(text[1:digits])
		if err != nil {
			t.Fatal(err)
		}
		cells = append(cells, [2]int{int(text[0] - 'a'), y - 1})
		text = text[digits:]
	}
	return cells
}

// A referee who knows the rules by rows alone sees legal moves only, and the engine takes a game to be over when the referee does.
func TestReferee(t *testing.T) {
	over := map[int]int{}
	for _, rule := range []int{0, 1, 8, 9} {
		for seed := range fulltest.Pick[uint64](2, 6) {
			referee := newReferee(t, rule, random.New(seed, random.Test))
			for !referee.over {
				referee.move(t)
			}
			if referee.won {
				over[rule]++
			}
		}
		if over[rule] == 0 {
			t.Errorf("rule %d: nobody has won a game", rule)
		}
	}
	t.Logf("games won by rule: %v", over)
}

// referee lets the engine play against itself on 9x9, from a few random stones on.
type referee struct {
	session *session
	out     *strings.Builder
	rule    int
	stones  [2][][]bool // of the side that is to move at even plies, and of the other
	ply     int
	won     bool // by the side that moved last
	over    bool
}

const refereesSide = 9

func newReferee(t *testing.T, rule int, rng *rand.Rand) *referee {
	t.Helper()
	out := &strings.Builder{}
	size := game.Size{Rows: refereesSide, Columns: refereesSide}
	r := &referee{
		session: &session{options: quiet(t, "alphabeta:1", "random"), out: out, clock: newClock(), memoryLimit: math.MaxInt64}, out: out, rule: rule,
		stones: [2][][]bool{gametest.NewBoard(size), gametest.NewBoard(size)},
	}
	r.session.options.Seed = rng.Uint64()
	r.session.obey(t.Context(), command{name: "START", text: strconv.Itoa(refereesSide)})
	r.session.obey(t.Context(), command{name: "INFO", text: fmt.Sprintf("rule %d", rule)})
	for range 12 + rng.IntN(20) {
		row, column := rng.IntN(refereesSide), rng.IntN(refereesSide)
		if !r.over && !r.stones[0][row][column] && !r.stones[1][row][column] {
			r.put(row, column)
		}
	}
	return r
}

// put puts a stone of the side to move.
func (r *referee) put(row, column int) {
	own, opponent := r.stones[r.ply%2], r.stones[1-r.ply%2]
	own[row][column] = true
	r.ply++
	r.won = gametest.Rows(own, opponent, func(length, blocked int) bool {
		exact, caro := r.rule&1 != 0, r.rule&8 != 0
		return length > 5 && !exact || length == 5 && (!caro || blocked < 2)
	})
	r.over = r.won || r.ply == refereesSide*refereesSide
}

// move asks for a move, plays it and, when that ends the game, hears whether the engine agrees.
func (r *referee) move(t *testing.T) {
	t.Helper()
	var column, row int
	answer := r.board(t)
	if _, err := fmt.Sscanf(answer, "%d,%d", &column, &row); err != nil || r.stones[0][row][column] || r.stones[1][row][column] {
		t.Fatalf("rule %d, ply %d: %q on the board\n%v", r.rule, r.ply, answer, r.stones)
	}
	r.put(row, column)
	if want := "ERROR the opponent has won"; r.won {
		if got := r.board(t); got != want {
			t.Fatalf("rule %d, ply %d: %q; want %q", r.rule, r.ply, got, want)
		}
	}
}

// board sends the position and returns the last line of the answer.
func (r *referee) board(t *testing.T) string {
	t.Helper()
	c := command{name: "BOARD"}
	for side, stones := range r.stones {
		for row := range stones {
			for column, stone := range stones[row] {
				if stone {
					c.stones = append(c.stones, []int{column, row, 1 + (side+r.ply)%2})
				}
			}
		}
	}
	r.out.Reset()
	r.session.obey(t.Context(), c)
	lines := strings.Split(strings.TrimSpace(r.out.String()), "\n")
	return lines[len(lines)-1]
}

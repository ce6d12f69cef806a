package gomocup

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tengen/doors/manager"
)

// Positions by which Gomocup's judge (GomocupJudge, test_zip_rules.py) finds out whether an engine knows a rule, with the moves
// that show it: to make five; to leave six alone and make an open four; to leave five between two stones alone and stop an open three.
func TestJudgesPositions(t *testing.T) {
	const five = "g8l8"
	for _, test := range []struct {
		rule  int
		moves string
		want  string
	}{
		{0, "h8h9i8i9j8j9k8k9", five},
		{1, "h8h9i8i9j8j9k8k9", five},
		{8, "h8h9i8i9j8j9k8k9", five},
		{9, "h8h9i8i9j8j9k8k9", five},
		{1, "h8h9i8h10g8h11j13h12g14h14i15", "f8j8"},
		{8, "h8f8g8f9i8f7j8l8", "f5f6f10f11"},
		{9, "h8f8g8f9i8f7j8l8", "f5f6f10f11"},
	} {
		moves := spell(test.moves)
		stones := make([]string, len(moves))
		for i, at := range moves {
			stones[i] = fmt.Sprintf("%s,%d", at, 1+(i+len(moves))%2)
		}
		// As the judge does: START and INFO at once, then BOARD.
		text := fmt.Sprintf("START 15\nINFO timeout_turn 0\nINFO rule %d\nBOARD\n%s\nDONE", test.rule, strings.Join(stones, "\n"))
		got := talk(t, Options{Options: manager.Options{Players: DefaultPlayers("gomoku"), Seed: 1}, Quiet: true}, text, 2)[1]
		if !slices.Contains(spell(test.want), got) {
			t.Errorf("rule %d after %s: %s; want one of %s", test.rule, test.moves, got, test.want)
		}
	}
}

var judgesCell = regexp.MustCompile(`[a-o]\d+`)

// spell reads cells as the judge writes them, a letter for x and a number from 1 for y, and returns them as "x,y".
func spell(text string) (cells []string) {
	for _, at := range judgesCell.FindAllString(text, -1) {
		y, _ := strconv.Atoi(at[1:])
		cells = append(cells, fmt.Sprintf("%d,%d", at[0]-'a', y-1))
	}
	return cells
}

// The engine takes a game to be over after six in a row unless five must be exact, and after five between two stones
// except in Caro.
func TestGameOver(t *testing.T) {
	const six = "1,1,2 2,1,2 3,1,2 4,1,2 5,1,2 6,1,2 1,4,1 3,4,1 5,4,1 7,4,1 9,4,1"
	const blocked = "0,1,1 1,1,2 2,1,2 3,1,2 4,1,2 5,1,2 6,1,1 1,4,1 3,4,1 5,4,1"
	for _, test := range []struct {
		stones string
		rules  []int // by which the opponent has won
	}{
		{strings.Replace(blocked, "6,1,1", "7,1,1", 1), []int{0, 1, 8, 9}}, {six, []int{0, 8}}, {blocked, []int{0, 1}},
	} {
		for rule := range rules {
			text := fmt.Sprintf("START 15\nINFO rule %d\nBOARD\n%s\nDONE\n", rule, strings.ReplaceAll(test.stones, " ", "\n"))
			got := strings.HasSuffix(atOnce(t, quiet(t, "random"), text), "ERROR the opponent has won\n")
			if want := slices.Contains(test.rules, rule); got != want {
				t.Errorf("rule %d, %s: over %t, want %t", rule, test.stones, got, want)
			}
		}
	}
}

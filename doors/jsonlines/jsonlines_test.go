package jsonlines_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"tengen/doors/jsonlines"
	"tengen/engine"
	"tengen/game"
	"tengen/players"
	"tengen/run/games"
)

func init() { games.Register() }

// config is that of n games without an opponent.
func config(n int) engine.EnvironmentConfig {
	c := engine.DefaultEnvironment()
	c.Games = n
	return c
}

// ask returns the answers to some requests.
func ask(t testing.TB, name string, c engine.EnvironmentConfig, requests ...string) (answers []map[string]any) {
	t.Helper()
	e, err := engine.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := jsonlines.Serve(t.Context(), e, c, strings.NewReader(strings.Join(requests, "\n")), &out); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		var answer map[string]any
		if err := json.Unmarshal([]byte(line), &answer); err != nil {
			t.Fatalf("answer %q: %v", line, err)
		}
		answers = append(answers, answer)
	}
	if len(answers) != len(requests) {
		t.Fatalf("%d answers to %d requests", len(answers), len(requests))
	}
	return answers
}

// unpack returns the bytes of an array.
func unpack(t testing.TB, array any) []byte {
	t.Helper()
	raw, err := base64.StdEncoding.DecodeString(array.(string))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// ones are the indices of the bits of an array that are set.
func ones(t testing.TB, array any) (set []int) {
	for i, b := range unpack(t, array) {
		for k := range 8 {
			if b>>k&1 != 0 {
				set = append(set, 8*i+k)
			}
		}
	}
	return set
}

// Two games of tic-tac-toe without an opponent.
func TestTwoGames(t *testing.T) {
	answers := ask(t, "tictactoe", config(2),
		`{"describe":true}`,
		`{"id":7,"reset":{"seed":3},"step":null}`,
		`{"step":[0,4]}`,
		`{"step":[1,null]}`,
		`{"step":"\/////wUAAAA="}`, // -1, 5; a stroke may be escaped
		`{"observe":"second"}`,
		`{"render":1}`,
		`{"reset":{"games":[1]}}`,
	)
	want := `{"actions":9,"auto_reset":false,"game":"tictactoe","games":2,"observation":[4,3,3],"opponent":null,"protocol":1,"stones":true}`
	if got, _ := json.Marshal(answers[0]); string(got) != want {
		t.Errorf("the description is %s", got)
	}
	if answers[1]["id"] != 7.0 {
		t.Errorf("the answer to request 7 has the ID %v", answers[1]["id"])
	}
	plane := func(game, plane int) int { return 9 * (4*game + plane) }
	for i, want := range map[int]struct {
		observation, mask []int
		players           []byte
	}{
		1: {slices.Concat(cells(plane(0, 3), 0, 1, 2, 3, 4, 5, 6, 7, 8), cells(plane(1, 3), 0, 1, 2, 3, 4, 5, 6, 7, 8)),
			slices.Concat(cells(0, 0, 1, 2, 3, 4, 5, 6, 7, 8), cells(9, 0, 1, 2, 3, 4, 5, 6, 7, 8)), []byte{0, 0}},
		2: {[]int{plane(0, 1), plane(0, 2), plane(1, 1) + 4, plane(1, 2) + 4},
			slices.Concat(cells(0, 1, 2, 3, 4, 5, 6, 7, 8), cells(9, 0, 1, 2, 3, 5, 6, 7, 8)), []byte{1, 1}},
		3: {slices.Concat([]int{plane(0, 0), plane(0, 1) + 1, plane(0, 2) + 1}, cells(plane(0, 3), 0, 1, 2, 3, 4, 5, 6, 7, 8),
			[]int{plane(1, 1) + 4, plane(1, 2) + 4}),
			slices.Concat(cells(0, 2, 3, 4, 5, 6, 7, 8), cells(9, 0, 1, 2, 3, 5, 6, 7, 8)), []byte{0, 1}},
		5: {slices.Concat([]int{plane(0, 0) + 1, plane(0, 1), plane(0, 2) + 1}, []int{plane(1, 0) + 5, plane(1, 1) + 4, plane(1, 2) + 5}),
			slices.Concat(cells(0, 2, 3, 4, 5, 6, 7, 8), cells(9, 0, 1, 2, 3, 6, 7, 8)), []byte{1, 1}},
		7: {slices.Concat([]int{plane(0, 0), plane(0, 1) + 1, plane(0, 2) + 1}, cells(plane(0, 3), 0, 1, 2, 3, 4, 5, 6, 7, 8),
			cells(plane(1, 3), 0, 1, 2, 3, 4, 5, 6, 7, 8)),
			slices.Concat(cells(0, 2, 3, 4, 5, 6, 7, 8), cells(9, 0, 1, 2, 3, 4, 5, 6, 7, 8)), []byte{0, 0}},
	} {
		a := answers[i]
		if got := ones(t, a["observations"]); !slices.Equal(got, want.observation) {
			t.Errorf("answer %d: the observations' ones are %v, want %v", i, got, want.observation)
		}
		if got := ones(t, a["masks"]); !slices.Equal(got, want.mask) {
			t.Errorf("answer %d: the masks' ones are %v, want %v", i, got, want.mask)
		}
		if got := unpack(t, a["players"]); !bytes.Equal(got, want.players) {
			t.Errorf("answer %d: the players are %v, want %v", i, got, want.players)
		}
		if got := len(unpack(t, a["observations"])); got != 9 {
			t.Errorf("answer %d: the observations have %d bytes", i, got)
		}
	}
	shown := answers[6]
	text := "   a  b  c\n3  .  .  .\n2  .  X (O)\n1  .  .  .\n   a  b  c\n"
	if shown["text"] != text || shown["moves"] != "b2 c2" || shown["last"] != 5.0 || shown["line"] != nil {
		t.Errorf("game 1 is shown as %v", shown)
	}
	if got := unpack(t, shown["cells"]); !bytes.Equal(got, []byte{0, 0, 0, 0, 1, 255, 0, 0, 0}) {
		t.Errorf("the cells are %v", got)
	}
}

// cells are indices in an array from base on.
func cells(base int, offsets ...int) (indices []int) {
	for _, o := range offsets {
		indices = append(indices, base+o)
	}
	return indices
}

// A game that is won tells the reward, the end and the winning line; a solver what moves are worth. Another game continues.
func TestEnd(t *testing.T) {
	answers := ask(t, "tictactoe", config(2),
		`{"reset":{}}`, `{"step":[0,0]}`, `{"step":[3,3]}`, `{"step":[1,1]}`, `{"step":[4,4]}`, `{"solve":true}`, `{"step":[2,null]}`,
		`{"render":0}`, `{"solve":true}`, `{"step":[5,null]}`)
	scores := unpack(t, answers[5]["scores"])
	if win, lose, taken := int8(scores[4*2]), int8(scores[4*6]), scores[4*0]; win <= 0 || lose >= 0 || taken != 0 {
		t.Errorf("the winning move is worth %d, one that loses %d, one that is not legal %d", win, lose, taken)
	}
	end, masks := answers[6], cells(9, 2, 5, 6, 7, 8)
	if !bytes.Equal(unpack(t, end["rewards"]), []byte{1, 0}) || !bytes.Equal(unpack(t, end["terminated"]), []byte{1, 0}) ||
		!slices.Equal(ones(t, end["masks"]), masks) {
		t.Errorf("the game ends with %v", end)
	}
	if fmt.Sprint(answers[7]["line"]) != "[0 1 2]" {
		t.Errorf("the winning line is %v", answers[7]["line"])
	}
	if got := unpack(t, answers[8]["scores"]); !bytes.Equal(got, slices.Concat(make([]byte, 36), scores[36:])) {
		t.Errorf("when game 0 is over, moves are worth %v", got)
	}
	if want := "game 0: it is over: reset it before the next move"; answers[9]["error"] != want {
		t.Errorf("a move after the end is answered with %v", answers[9])
	}
}

// A request lists the numbers and names of the legal moves, and a step may play a move by its name. In Breakthrough, an
// action has another name for each side.
func TestNames(t *testing.T) {
	answers := ask(t, "breakthrough:3,5", config(2), `{"reset":{}}`, `{"step":["a2a3",null]}`, `{"step":["A4B3",28]}`,
		`{"legal":0}`, `{"render":0}`, `{"legal":1}`, `{"render":1}`)
	for i, want := range map[int]string{
		3: "[[19 a3a4] [20 a3b4] [32 b2c3] [33 c2b3] [34 c2c3] [37 a1a2] [39 b1a2]]", 4: "a2a3 a4b3",
		5: "[[29 a4b3] [30 b4a3] [31 b4b3] [32 b4c3] [33 c4b3] [34 c4c3]]", 6: "a2a3",
	} {
		got := fmt.Sprint(answers[i]["legal"])
		if i%2 == 0 {
			got = fmt.Sprint(answers[i]["moves"])
		}
		if got != want {
			t.Errorf("answer %d is %s; want %s", i, got, want)
		}
	}
}

// When a game is over, it has no legal move, and a name begins the next game like a number, or is refused like it.
func TestNamesAfterTheEnd(t *testing.T) {
	c := config(1)
	requests := []string{`{"reset":{}}`, `{"step":["a3"]}`, `{"step":["a2"]}`, `{"step":["b3"]}`, `{"step":["b2"]}`, `{"step":["c3"]}`,
		`{"legal":0}`, `{"step":["b2"]}`, `{"render":0}`}
	for auto, want := range map[bool]string{false: "game 0: it is over: reset it before the next move", true: "<nil>"} {
		c.AutoReset = auto
		answers := ask(t, "tictactoe", c, requests...)
		if got := fmt.Sprint(answers[6]["legal"], " ", answers[7]["error"]); got != "[] "+want {
			t.Errorf("at the end, legal moves and a step are answered with %s; want %s", got, want)
		}
		if moves := answers[8]["moves"]; moves != map[bool]string{false: "a3 a2 b3 b2 c3", true: ""}[auto] {
			t.Errorf("then the moves are %v", moves)
		}
	}
}

// What cannot be done is answered with an error that says why, with the request's ID if there is one, and changes nothing.
func TestErrors(t *testing.T) {
	for request, want := range map[string]string{
		`{"id":"a","step":[4,0]}`:            `game 0: action 4 is illegal after "b2"`,
		`{"id":"a","step":[0,9]}`:            "game 1: action 9 does not exist: there are 0 to 8",
		`{"id":"a","step":[0]}`:              "1 actions for 2 games",
		`{"id":"a","step":[]}`:               "0 actions for 2 games",
		`{"id":"a","step":[0,"x"]}`:          `game 1: move 1, "x", is not legal here: legal are a3, b3,`,
		`{"id":"a","step":["b2",0]}`:         `game 0: move 1, "b2", is not legal here`,
		`{"id":"a","step":[0,""]}`:           `game 1: "" is 0 moves: write one`,
		`{"id":"a","step":["a1"]}`:           "1 actions for 2 games",
		`{"id":"a","step":[0,0,"a1"]}`:       "3 actions for 2 games",
		`{"id":"a","step":[0,true]}`:         "step must be a list of actions, whole numbers, names or null, or base64 of numbers, but has a bool",
		`{"id":"a","legal":2}`:               "game 2 does not exist: there are 0 to 1",
		`{"id":"a","step":[0,4294967296]}`:   "has a number 4294967296",
		`{"id":"a","step":[0,1.5]}`:          "has a number 1.5",
		`{"id":"a","step":{"0":1}}`:          "has an object",
		`{"id":"a","reset":{"seed":-1}}`:     "reset.seed cannot be a JSON number -1",
		`{"id":"a","render":1e400}`:          "render cannot be a JSON number 1e400",
		`{"id":"a","step":"AAAAAA=="}`:       "1 actions for 2 games",
		`{"id":"a","step":"AAA="}`:           "step has 2 bytes, but must have 4 per action",
		`{"id":"a","step":"?"}`:              "step is not base64",
		`{"id":"a","reset":{"games":[2]}}`:   "game 2 does not exist: there are 0 to 1",
		`{"id":"a","observe":"third"}`:       `side "third": write first or second`,
		`{"id":"a","render":2}`:              "game 2 does not exist: there are 0 to 1",
		`{"id":"a","render":-1}`:             "game -1 does not exist: there are 0 to 1",
		`{"id":"a"}`:                         "a request must have one of describe, reset, step, observe, legal, render and solve",
		`{"id":"a","step":[0,0],"render":0}`: "a request must have one of describe, reset, step, observe, legal, render and solve",
		`{"id":"a","step":[0,0]} {}`:         "there is more than one JSON object",
		`{"id":"a","jump":1}`:                `unknown field "jump"`,
		``:                                   "there is no JSON object",
		`[`:                                  "the JSON ends too early",
	} {
		answers := ask(t, "tictactoe", config(2), `{"reset":{}}`, `{"step":[4,4]}`, `{"observe":"first"}`, request, `{"observe":"first"}`)
		if text, _ := answers[3]["error"].(string); !strings.Contains(text, want) || len(answers[3]) != 1+strings.Count(request, `"id"`) {
			t.Errorf("%s is answered with %v, want the error %q", request, answers[3], want)
		}
		if !maps.Equal(answers[2], answers[4]) {
			t.Errorf("%s changes the games", request)
		}
	}
}

// With an opponent, the caller always has the move, and sees its own stones first.
func TestOpponent(t *testing.T) {
	c := config(1)
	c.Side = game.Second
	var err error
	if c.Opponent, err = players.ParseSpec("solver"); err != nil {
		t.Fatal(err)
	}
	answers := ask(t, "connect4", c, `{"describe":true}`, `{"reset":{}}`, `{"step":[0]}`)
	if answers[0]["opponent"] != "solver" {
		t.Errorf("the opponent is %v", answers[0]["opponent"])
	}
	for i, stones := range []int{0, 1} {
		a := answers[1+i]
		own := slices.IndexFunc(ones(t, a["observations"]), func(bit int) bool { return bit >= 42 })
		if own != stones || !bytes.Equal(unpack(t, a["players"]), []byte{1}) {
			t.Errorf("after %d moves the caller has %d stones and is player %v", stones, own, unpack(t, a["players"]))
		}
	}
}

// Serve ends with its context even if nothing comes in, and says so when it cannot read or write.
func TestServeEnds(t *testing.T) {
	e, err := engine.Open("tictactoe")
	if err != nil {
		t.Fatal(err)
	}
	in, quiet := io.Pipe()
	defer quiet.Close() // which ends the reader
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := jsonlines.Serve(ctx, e, config(1), in, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled Serve returns %v", err)
	}
	long := strings.NewReader(`{"step":[` + strings.Repeat("0,", 1<<20) + "0]}\n" + `{"reset":{}}`)
	err = jsonlines.Serve(t.Context(), e, config(1), long, io.Discard)
	if err == nil || err.Error() != "cannot read a request: it has 1048576 bytes or more" {
		t.Errorf("a line that is too long gives the error %v", err)
	}
	closed, other := io.Pipe()
	closed.Close()
	if err := jsonlines.Serve(t.Context(), e, config(1), strings.NewReader(`{"reset":{}}`), other); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("answers that nobody reads give the error %v", err)
	}
}

// No error repeats more of a request than its author needs.
func TestLongErrors(t *testing.T) {
	long := strings.Repeat("9", 100_000)
	for _, request := range []string{
		`{"observe":"` + long + `"}`, `{"` + long + `":1}`, `{"render":` + long + `}`, `{"step":[0,` + long + `]}`, `{"reset":{"games":[` + long + `]}}`,
		`{"step":["` + long + `",0]}`, `{"step":"` + long + `?"}`, strings.Repeat("[", 100_000), `{"reset":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`,
	} {
		answer := ask(t, "tictactoe", config(2), `{"reset":{}}`, request)[1]
		if text, _ := answer["error"].(string); text == "" || len(text) > 400 {
			t.Errorf("%.40s is answered with an error of %d bytes", request, len(text))
		}
	}
}

// Whatever the lines, each has one answer; after an error the games are as before, and no position has other legal moves
// than its masks say.
func FuzzRequests(f *testing.F) {
	for _, lines := range []string{
		`{"step":[0,null]}`, `{"step":["b2","a1"]}`, `{"step":"AAAAAAEAAAA="}`, `{"id":{},"reset":{"seed":18446744073709551615,"games":[1,1]}}`, `{"step":null}`,
		"{\"step\":[0,0]}\n{\"step\":[3,3]}\n{\"step\":[1,1]}\n{\"step\":[4,4]}\n{\"step\":[2,2]}\n{\"step\":[5,9]}", "{\"reset\":{}}\n\n{\"step\":[9,4]}\n{\"observe\":\"second\"}",
	} {
		for mode := range byte(8) {
			f.Add(lines, mode)
		}
	}
	f.Fuzz(func(t *testing.T, lines string, mode byte) {
		c := config(2)
		c.AutoReset, c.IllegalLoses = mode&1 != 0, mode&2 != 0
		if mode&4 != 0 {
			c.Opponent, c.Side = players.Spec{Kind: players.KindRandom, Limit: players.Unset}, game.First
		}
		const first, second, shown = `{"observe":"first"}`, `{"observe":"second"}`, `{"render":0}`
		requests := []string{`{"reset":{}}`, first, second}
		given := strings.Split(lines, "\n")
		for _, line := range given[:min(len(given), 20)] {
			requests = append(requests, line, first, second, shown)
		}
		answers := ask(t, "tictactoe", c, requests...)
		for i := 3; i < len(answers); i += 4 {
			if _, failed := answers[i]["error"]; failed && !maps.Equal(answers[i+1], answers[max(i-3, 1)]) {
				t.Errorf("%q fails, but changes the games: %v", requests[i], answers[i])
			}
			over := unpack(t, answers[i+1]["terminated"])[0] != 0
			empty := bytes.Count(unpack(t, answers[i+3]["cells"]), []byte{0})
			legal := len(slices.DeleteFunc(ones(t, answers[i+1]["masks"]), func(bit int) bool { return bit >= 9 }))
			if over && legal != 0 || !over && legal != empty {
				t.Errorf("after %q: %d cells are empty, %d moves legal, over %v", requests[i], empty, legal, over)
			}
		}
	})
}

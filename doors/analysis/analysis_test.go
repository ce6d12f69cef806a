package analysis_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"tengen/doors/analysis"
	"tengen/engine"
)

const forever = `"milliseconds":86400000`

// What is limited by simulations is answered the same, to the byte, in whatever order and however many are searched at once.
func TestAnswersDependOnTheQuestionAlone(t *testing.T) {
	for _, player := range []string{"uct:200", "net:connect4:40", "alphabeta:4", "random"} {
		var questions []string
		for i, moves := range []string{"", "4", "44", "443", "4435", "44353", "1", "7"} {
			limit := ""
			if strings.Contains(player, ":2") || strings.Contains(player, ":40") {
				limit = fmt.Sprintf(`,"simulations":%d`, 20+10*i)
			}
			questions = append(questions, fmt.Sprintf(`{"id":"%d","moves":"%s"%s}`, i, moves, limit))
		}
		ask := func(workers int) []string {
			return slices.Sorted(slices.Values(serve(t, "connect4", player, workers, strings.Join(questions, "\n"))))
		}
		want := ask(1)
		if len(want) != len(questions) {
			t.Fatalf("%s: %d answers to %d questions", player, len(want), len(questions))
		}
		rng := rand.New(rand.NewPCG(1, 2))
		for _, workers := range []int{1, 3} {
			rng.Shuffle(len(questions), func(i, j int) { questions[i], questions[j] = questions[j], questions[i] })
			if got := ask(workers); !slices.Equal(got, want) {
				t.Errorf("%s: with %d workers\n%s, want\n%s", player, workers, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
	}
}

// A position of stones is analyzed as the one that moves lead to.
func TestStones(t *testing.T) {
	lines := serve(t, "connect4", "uct:100", 1, `{"id":"x","moves":"41"}
{"id":"x","cells":[`+strings.Repeat("0,", 35)+`2,0,0,1,0,0,0],"to_move":"first"}`)
	moves, stones := decode(t, lines[0]), decode(t, lines[1])
	stones.Moves = "41"
	if !reflect.DeepEqual(moves, stones) {
		t.Errorf("stones\n%+v, moves\n%+v", stones, moves)
	}
}

// Partial results come at least so many simulations apart, and then the answer.
func TestReports(t *testing.T) {
	c := connect(t.Context(), t, "uct:20000", 1)
	c.ask(`{"id":"a","report_simulations":3000}`)
	c.in.Close()
	last := 0
	for {
		a := c.next()
		if a.ID != "a" || a.DuringSearch && a.Simulations < last+3000 {
			t.Fatalf("after %d simulations: %+v", last, a)
		}
		if last = a.Simulations; !a.DuringSearch {
			break
		}
	}
	if last != 20000 {
		t.Errorf("the answer has %d simulations", last)
	}
	c.endsWell()
}

// The most urgent question is next, of equally urgent ones the oldest; what is under way is not interrupted but by terminate.
func TestPriority(t *testing.T) {
	c := connect(t.Context(), t, "uct:10", 1)
	c.ask(`{"id":"long","report_simulations":1,` + forever + `}`)
	if a := c.next(); a.ID != "long" || !a.DuringSearch {
		t.Fatalf("%+v", a)
	}
	go func() {
		c.ask(`{"id":"low","priority":-1}`, `{"id":"first"}`, `{"id":"second"}`, `{"id":"high","priority":7}`,
			`{"id":"stop","action":"terminate","terminate_id":"long"}`)
		c.in.Close()
	}()
	var order []string
	for range 6 {
		if id := c.final().ID; id != "stop" { // that it was done may be told at any time
			order = append(order, id)
		}
	}
	if want := []string{"long", "high", "first", "second", "low"}; !slices.Equal(order, want) {
		t.Errorf("answered in the order %v, want %v", order, want)
	}
}

// What waits is ended without a result, and so is what is searched, with what was found.
func TestTerminateAll(t *testing.T) {
	c := connect(t.Context(), t, "uct:10", 1)
	c.ask(`{"id":"long","report_milliseconds":1,` + forever + `}`)
	c.next()
	go func() {
		c.ask(`{"id":"a"}`, `{"id":"b","priority":1}`, `{"id":"stop","action":"terminate_all"}`)
		c.in.Close()
	}()
	got := map[string]answer{}
	var order []string
	for range 4 {
		a := c.final()
		got[a.ID] = a
		order = append(order, a.ID)
	}
	if a, b, long := got["a"], got["b"], got["long"]; !a.NoResults || !b.NoResults || long.NoResults || long.Best == "" {
		t.Errorf("%+v\n%+v\n%+v", a, b, long)
	}
	if slices.Index(order, "b") > slices.Index(order, "a") || got["stop"].Action != "terminate_all" {
		t.Errorf("order %v, %+v", order, got["stop"])
	}
	c.endsWell()
}

// An external engine that is ended in its search has found nothing, which is no failure.
func TestTerminateAnEngine(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell stands for an engine: ", err)
	}
	started := filepath.Join(t.TempDir(), "started")
	c := connect(t.Context(), t, `gtp:sh -c "touch `+started+`; exec sleep 60"`, 1)
	c.ask(`{"id":"a"}`)
	for _, err := os.Stat(started); err != nil; _, err = os.Stat(started) {
		time.Sleep(time.Millisecond)
	}
	go func() {
		c.ask(`{"id":"stop","action":"terminate","terminate_id":"a"}`)
		c.in.Close()
	}()
	for range 2 {
		if a := c.final(); a.Error != "" || a.NoResults != (a.ID == "a") {
			t.Errorf("%+v", a)
		}
	}
	c.endsWell()
}

// After quit nothing is answered, whatever was under way, and Serve ends well.
func TestQuit(t *testing.T) {
	c := connect(t.Context(), t, "uct:10", 2)
	for _, id := range []string{"a", "b", "c"} {
		c.ask(`{"id":"` + id + `",` + forever + `}`)
	}
	c.ask(`{"id":"bye","action":"quit"}`)
	if a := c.next(); a.ID != "bye" || a.Action != "quit" {
		t.Errorf("%+v", a)
	}
	if c.answers.Scan() {
		t.Errorf("after quit: %s", c.answers.Text())
	}
	c.endsWell()
}

// When its context ends or nobody reads its answers, Serve ends with an error.
func TestServeEndsEarly(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := connect(ctx, t, "uct:10", 1)
	c.ask(`{"id":"a",` + forever + `}`)
	cancel()
	if err := <-c.ended; !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	c = connect(t.Context(), t, "uct:10", 1)
	c.out.Close()
	c.ask(`{"id":"a"}`)
	if err := <-c.ended; err == nil || !strings.Contains(err.Error(), "cannot write an answer") {
		t.Errorf("nobody reads: %v", err)
	}
}

// A request that makes no sense is answered with what is wrong with it, under its id if it has one, and the others go on.
func TestFailures(t *testing.T) {
	long := strings.Repeat("4", 101)
	for line, want := range map[string]string{
		`nonsense`:                             `"":invalid character 'o' in literal null`,
		`{"id":"a"`:                            `"":the JSON ends too early`,
		`[]`:                                   `"":a request cannot be a JSON array`,
		`{}`:                                   `"":the id has 0 bytes, but must have 1 to 100`,
		`{"id":7}`:                             `"":id cannot be a JSON number`,
		`{"id":"a"} {"id":"b"}`:                `"a":there is more than one JSON object`,
		`{"id":"a","move":"4"}`:                `"a":unknown field "move"`,
		`{"id":"a","moves":"9"}`:               `"a":move 1, "9", is not legal here: legal are 1, 2, 3, 4, 5, 6, 7`,
		`{"id":"a","moves":"1213141"}`:         `"a":the game is over: the first player has won`,
		`{"id":"a","simulations":0}`:           `"a":simulations is 0, but must be 1 to 1000000000`,
		`{"id":"a","simulations":1.5}`:         `"a":simulations cannot be a JSON number 1.5`,
		`{"id":"a","milliseconds":-1}`:         `"a":milliseconds is -1, but must be 1 to 86400000`,
		`{"id":"a","report_simulations":0}`:    `"a":report_simulations is 0, but must be 1 to 1000000000`,
		`{"id":"a","simulations":5}`:           `"a":simulations cannot limit player "random"`,
		`{"id":"a","action":"stop"}`:           `"a":action is "stop", but must be terminate, terminate_all or quit`,
		`{"id":"a","terminate_id":"b"}`:        `"a":terminate_id needs action terminate`,
		`{"id":"a","cells":[]}`:                `"a":to_move is "", but must be first or second`,
		`{"id":"a","to_move":"first"}`:         `"a":give the position as moves, or as cells and to_move`,
		`{"id":"a","moves":"4","cells":[1]}`:   `"a":give the position as moves, or as cells and to_move`,
		`{"id":"a","cells":[3],` + toMove:      `"a":cell 0 is 3, but must be 0 to 2`,
		`{"id":"a","cells":[1],` + toMove:      `"a":position of connect4: stones for 1 cells`,
		`{"id":"` + long + `"}`:                `"` + long + `":the id has 101 bytes, but must have 1 to 100`,
		`{"id":"a","moves":"4","priority":{}}`: `"a":priority cannot be a JSON object`,
	} {
		lines := serve(t, "connect4", "random", 1, "\n"+line+"\n{\"id\":\"good\"}")
		failed, good := decode(t, lines[0]), decode(t, lines[1])
		if failed.ID == "good" {
			failed, good = good, failed
		}
		got := fmt.Sprintf("%q:%s", failed.ID, strings.TrimPrefix(failed.Error, "line 2: "))
		if !strings.HasPrefix(got, want) || good.ID != "good" || good.Best == "" {
			t.Errorf("%.60s\n%s, want\n%s\nthe next answer is %+v", line, got, want, good)
		}
	}
}

// An external engine takes no limit but its SPEC's.
func TestProgramIsNotLimited(t *testing.T) {
	lines := serve(t, "connect4", "gtp:never-started", 1, `{"id":"a","milliseconds":5}`)
	if want := `milliseconds cannot limit player "gtp:never-started"`; !strings.Contains(decode(t, lines[0]).Error, want) {
		t.Errorf("%s, want %s", lines[0], want)
	}
}

const toMove = `"to_move":"first"}`

// What is wrong with the player or an option shows before anything is asked.
func TestServeRefuses(t *testing.T) {
	for want, change := range map[string]func(*analysis.Config){
		"workers is 0, but must be 1 to 1024":             func(c *analysis.Config) { c.Workers = 0 },
		"threads is 257, but must be 1 to 256":            func(c *analysis.Config) { c.Threads = 257 },
		"there is no model file or run directory nowhere": func(c *analysis.Config) { c.Player.Kind, c.Player.Path = "net", "nowhere" },
		"a human cannot play here":                        func(c *analysis.Config) { c.Player.Kind = "human" },
	} {
		e, config := open(t, "tictactoe", "random", 1)
		change(&config)
		err := analysis.Serve(t.Context(), e, config, strings.NewReader(`{"id":"a"}`), new(strings.Builder))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
		if input := errors.As(err, new(engine.InputError)); input != strings.Contains(want, "must be") {
			t.Errorf("%v: an InputError is %v", err, input)
		}
	}
}

// Whatever a client writes, every line that is not blank has one answer that is no partial result, until one says quit.
func FuzzServe(f *testing.F) {
	f.Add([]byte("{\"id\":\"a\",\"moves\":\"a1 b2\"}\n{\"id\":\"b\",\"action\":\"terminate\",\"terminate_id\":\"a\"}\n"))
	f.Add([]byte("{\"id\":\"a\",\"cells\":[1,2,0,0,0,0,0,0,0],\"to_move\":\"first\",\"milliseconds\":5,\"report_milliseconds\":1}"))
	f.Add([]byte("{\"id\":\"a\",\"priority\":3}\r\n \n{\"id\":\"c\",\"action\":\"terminate_all\"}\nnull\n{}"))
	f.Add([]byte("{\"id\":\"a\"}\n{\"id\":\"q\",\"action\":\"quit\"}\n{\"id\":\"z\"}"))
	f.Fuzz(func(t *testing.T, in []byte) {
		answers := serve(t, "tictactoe", "random", 1, string(in))
		asked, answered, quit := 0, 0, false
		for l := range strings.Lines(string(in)) {
			if strings.TrimSpace(l) != "" {
				asked++
			}
		}
		for _, l := range answers {
			a := decode(t, l)
			if !a.DuringSearch {
				answered++
			}
			quit = quit || a.Action == analysis.Quit
		}
		if answered > asked || answered < asked && !quit {
			t.Errorf("%d answers to %d requests\n%q\n%s", answered, asked, in, answers)
		}
	})
}

// Who writes all that it asks before it reads an answer gets all answers, those to mistakes and actions included.
func TestAskFirstReadLater(t *testing.T) {
	c := connect(t.Context(), t, "random", 1)
	want := map[string]int{}
	for i := range 50 {
		c.ask(fmt.Sprintf(`{"id":"%d"}`, i), fmt.Sprintf(`{"id":"%d","moves":"z9"}`, i),
			fmt.Sprintf(`{"id":"%d","action":"terminate","terminate_id":"unknown"}`, i))
		want[fmt.Sprint(i)] = 3
	}
	c.in.Close()
	for range 150 {
		want[c.final().ID]--
	}
	for id, left := range want {
		if left != 0 {
			t.Errorf("%d answers are missing to %s", left, id)
		}
	}
	c.endsWell()
}

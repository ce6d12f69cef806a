package eval_test

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"tengen/eval"
	"tengen/eval/rating"
)

var sample = eval.Result{
	Player: "net:m:400", Against: "uct:1000", Game: "connect4:7,6,4",
	Seed: 7, OpeningPlies: 2, Openings: 49,
	AsFirst:     rating.Tally{Wins: 80, Draws: 2, Losses: 18},
	AsSecond:    rating.Tally{Wins: 62, Draws: 6, Losses: 32},
	PlayerPace:  eval.Pace{Moves: 3000, Time: 12 * time.Second},
	AgainstPace: eval.Pace{Moves: 2900, Time: 4 * time.Second},
	Elapsed:     8500 * time.Millisecond,
}

func TestResultString(t *testing.T) {
	for _, c := range []struct {
		result eval.Result
		want   string
	}{
		{sample, "net:m:400 vs uct:1000: 142 wins, 8 draws, 50 losses of 200; score 73.0 % (66.5 – 78.7); Elo +173 (+119 – +227)"},
		{eval.Result{Player: "a", Against: "b", AsFirst: rating.Tally{Draws: 2}}, "a vs b: 0 wins, 2 draws, 0 losses of 2; score 50.0 % (9.5 – 90.5); Elo +0 (-393 – +393)"},
		{eval.Result{Player: "a", Against: "b", AsSecond: rating.Tally{Losses: 20}}, "a vs b: 0 wins, 0 draws, 20 losses of 20; score 0.0 % (0.0 – 16.1); Elo below -287"},
		{eval.Result{Player: "a", Against: "b"}, "a vs b: no game finished"},
	} {
		if got := c.result.String(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

func TestResultTable(t *testing.T) {
	const want = `net:m:400 vs uct:1000, connect4:7,6,4

          games  wins draws losses   score                  Elo
all         200   142     8     50   73.0 % (66.5 – 78.7)   +173 (+119 – +227)
as first    100    80     2     18   81.0 % (72.2 – 87.5)   +252 (+166 – +338)
as second   100    62     6     32   65.0 % (55.3 – 73.6)   +108 (+37 – +178)

openings   49 (2 plies each), seed 7; openings repeat: if games do, the intervals are too narrow
moves/s    net:m:400 250.0, uct:1000 725.0
time       8.5 s
`
	if got := sample.Text(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A colour that was not played has no score.
func TestResultTableOfOneColour(t *testing.T) {
	r := sample
	r.AsSecond = rating.Tally{}
	if text := r.Text(); !strings.Contains(text, "\nas second     0     0     0      0\n") || strings.Contains(text, "NaN") {
		t.Error(text)
	}
}

func TestResultJSON(t *testing.T) {
	for _, c := range []struct {
		result eval.Result
		want   string // floats rounded to 4 decimals
	}{
		{sample, `{"player":"net:m:400","against":"uct:1000","game":"connect4:7,6,4","games":200,
			"wins":142,"draws":8,"losses":50,
			"as_first":{"score":0.81,"wins":80,"draws":2,"losses":18,"games":100},"as_second":{"score":0.65,"wins":62,"draws":6,"losses":32,"games":100},
			"score":0.73,"score_low":0.6646,"score_high":0.7868,"elo":172.7836,"elo_low":118.7721,"elo_high":226.7951,
			"moves_per_second":250,"against_moves_per_second":725,
			"seed":7,"opening_plies":2,"openings":49,"sprt":null,"seconds":8.5}`},
		{eval.Result{AsFirst: rating.Tally{Wins: 1}, PlayerPace: eval.Pace{Moves: 3}},
			`{"player":"","against":"","game":"","games":1,"wins":1,"draws":0,"losses":0,
			"as_first":{"score":1,"wins":1,"draws":0,"losses":0,"games":1},"as_second":{"score":null,"wins":0,"draws":0,"losses":0,"games":0},
			"score":1,"score_low":0.2065,"score_high":1,"elo":null,"elo_low":-233.7985,"elo_high":null,
			"moves_per_second":null,"against_moves_per_second":null,
			"seed":0,"opening_plies":0,"openings":0,"sprt":null,"seconds":0}`},
		{eval.Result{}, `{"player":"","against":"","game":"","games":0,"wins":0,"draws":0,"losses":0,
			"as_first":{"score":null,"wins":0,"draws":0,"losses":0,"games":0},"as_second":{"score":null,"wins":0,"draws":0,"losses":0,"games":0},
			"score":null,"score_low":0,"score_high":1,"elo":null,"elo_low":null,"elo_high":null,
			"moves_per_second":null,"against_moves_per_second":null,
			"seed":0,"opening_plies":0,"openings":0,"sprt":null,"seconds":0}`},
	} {
		data, err := json.Marshal(c.result)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := decode(t, data), decode(t, []byte(c.want)); !reflect.DeepEqual(got, want) {
			t.Errorf("got  %v\nwant %v", got, want)
		}
	}
}

// decode reads a JSON object and rounds its numbers, whose last digits differ from machine to machine, to 4 decimals.
func decode(t *testing.T, data []byte) map[string]any {
	t.Helper()
	var object map[string]any
	if err := json.Unmarshal(data, &object); err != nil {
		t.Fatal(err)
	}
	for key, value := range object {
		if x, ok := value.(float64); ok {
			object[key] = math.Round(x*1e4) / 1e4
		}
	}
	return object
}

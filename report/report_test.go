package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"tengen/arena/rating"
	"tengen/engine"
	"tengen/train/rundir"
)

// makeRun makes a run directory of a name with metrics of the given number of iterations; every tenth and the last are evaluated.
func makeRun(t *testing.T, name string, iterations int, assignments ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	cfg := engine.DefaultConfig()
	for _, a := range assignments {
		key, value, _ := strings.Cut(a, "=")
		if _, err := cfg.SetText(key, value); err != nil {
			t.Fatal(err)
		}
	}
	var lines bytes.Buffer
	for i := 1; i <= iterations; i++ {
		m := rundir.Metrics{
			Iteration: i, Step: uint64(7 * i), Games: uint64(100 * i), Positions: uint64(2000 * i),
			Play:    rundir.Play{GameLength: 20.5, FirstPlayerShare: 0.5, DrawShare: 0.125, SecondPlayerShare: 0.375},
			Work:    rundir.Work{GamesPerSecond: 12, CacheHitRate: 0.25},
			Seconds: rundir.Seconds{SelfPlay: 30, Train: 5, Total: 36}, CPUSeconds: 60, Time: time.Unix(int64(1e9+36*i), 0).UTC(),
		}
		if i > 1 {
			m.Learning = &rundir.Learning{Terms: []rundir.Term{{Name: "value", Loss: 0.5}, {Name: "policy", Loss: 1.25}}, LearningRate: 0.001}
		}
		if i%10 == 0 || i == iterations {
			m.Evaluation = map[string]rating.Tally{"uct:1000": {Wins: 30, Losses: 10}, rundir.ModelName(1): {Wins: 9}}
			m.Rating = &rating.Rating{Elo: 321, Low: 200, High: 442}
			m.Grade = &rundir.Grade{Positions: 100, Search: rating.Accuracy{Optimal: 0.9, Mistakes: map[string]float64{"middle": 0.1}},
				Policy: rating.Accuracy{Optimal: 0.8}}
			m.Exam = []rundir.ExamPart{{Part: "end, easy", Positions: 50, Search: rundir.Proportion{Share: 0.98, Low: 0.9, High: 0.99}}}
		}
		line, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(line, '\n'))
	}
	for file, content := range map[string][]byte{"config.yaml": cfg.YAML(), "metrics.jsonl": lines.Bytes()} {
		if err := os.WriteFile(filepath.Join(dir, file), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// write returns the report of some runs, once it is found to be well-formed and to need nothing from elsewhere.
func write(t *testing.T, axis string, dirs ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.html")
	if err := Write(file, Options{dirs, axis}); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	d := xml.NewDecoder(bytes.NewReader(content))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	ids := map[string]bool{}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if start.Name.Local == "script" {
			t.Error("there is a script")
		}
		for _, a := range start.Attr {
			switch {
			case a.Name.Local == "src" || a.Name.Local == "href" || strings.HasPrefix(a.Name.Local, "on"):
				t.Errorf("%s has %s=%q", start.Name.Local, a.Name.Local, a.Value)
			case a.Name.Local == "id" && ids[a.Value]:
				t.Errorf("the id %s is there twice", a.Value)
			case a.Name.Local == "id":
				ids[a.Value] = true
			}
		}
	}
	text := string(content)
	if strings.Contains(text, "://") || strings.Contains(text, "url(") || strings.Contains(text, "@import") {
		t.Error("something comes from elsewhere")
	}
	return text
}

func wantTexts(t *testing.T, page string, texts ...string) {
	t.Helper()
	for _, want := range texts {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

// The page of a run has its numbers: newest ones in the card, all of them in tables beside charts that say what they show.
func TestOneRun(t *testing.T) {
	page := write(t, "games", makeRun(t, "mine", 20, "game=tictactoe", "seed=7", "cluster.token_file=/secret/place"))
	wantTexts(t, page, "<h1>mine</h1>", "tictactoe, 4 blocks of 48 channels, ",
		"<dt>Iterations</dt><dd>20 <small>of 60</small></dd>", "<dd>2,000 <small>40,000 positions</small></dd>",
		"<dd>12:00 <small>1200 processor seconds</small></dd>", "<dd>75.0 % <small>59.8 to 85.8</small></dd>",
		"<dd>&#43;321 <small>200 to 442</small></dd>", `<th scope="row">self-play</th>`, "<td>83 %</td><td>10:00</td>",
		"<h3>Score against uct:1000, %</h3>", `<th scope="row">1000</th><td>75 (59.81 to 85.81)</td>`,
		"<h3>Moves that are the best, by perfect play, %</h3>", "bare network</li>",
		`<th scope="row">200</th><td>0.5</td><td>1.25</td>`, "end, easy", "98 (90 to 99)",
		`<tr><th scope="row">seed</th><td>7</td><td>1</td></tr>`)
	for _, private := range []string{"/secret/place", "cluster.", rundir.ModelName(1)} {
		if strings.Contains(page, private) {
			t.Errorf("the page has %s", private)
		}
	}
	charts, tables := strings.Count(page, `<svg class="chart"`), strings.Count(page, "<summary>Table</summary>")
	if titles := strings.Count(page, `role="img" aria-labelledby="chart`); charts < 10 || tables != charts || titles != charts {
		t.Errorf("%d charts, %d tables, %d titles", charts, tables, titles)
	}
}

// Several runs are drawn over each other, a panel for each line, and keep their colours; what is told apart has its own names.
func TestSeveralRuns(t *testing.T) {
	first, second := makeRun(t, "a<b>", 10), makeRun(t, "a<b>", 30, "train.batch_size=512")
	page := write(t, "games", first, second)
	wantTexts(t, page, "<h1>a&lt;b&gt;, a&lt;b&gt; (2)</h1>", "<h4>bare network</h4>", "<h4>policy</h4>",
		`<tr class="differs"><th scope="row">train.batch_size</th><td>256</td><td>512</td><td>256</td></tr>`,
		`<th scope="row">3000</th><td></td><td>20.5</td>`)
	if strings.Contains(page, "a<b>") {
		t.Error("a name is not escaped")
	}
	if a, b := strings.Count(page, `<g class="s0">`), strings.Count(page, `<g class="s1">`); a != b || strings.Contains(page, `<g class="s2">`) {
		t.Errorf("%d lines of the first run, %d of the second", a, b)
	}
}

// The axis is what was asked for, and long runs are thinned out: the last point stays.
func TestAxes(t *testing.T) {
	dir := makeRun(t, "long", 1000)
	for axis, last := range map[string]string{"games": "100000", "positions": "2000000", "steps": "7000", "hours": "10"} {
		page := write(t, axis, dir)
		wantTexts(t, page, "20.5 at "+last+".", `<th scope="col">`+axis+"</th>", "(some rows, evenly spread)")
		for _, points := range regexp.MustCompile(`<polyline class="line" points="([^"]*)"`).FindAllStringSubmatch(page, -1) {
			if n := len(strings.Fields(points[1])); n > mostPoints {
				t.Errorf("%d points", n)
			}
		}
	}
}

func TestSpread(t *testing.T) {
	for count := range 50 {
		for n := 1; n < 20; n++ {
			list := spread(count, n)
			if len(list) != min(count, n) || count > 0 && list[len(list)-1] != count-1 {
				t.Fatalf("%d of %d: %v", n, count, list)
			}
			for i := 1; i < len(list); i++ {
				if list[i] <= list[i-1] || n > 1 && list[0] != 0 {
					t.Fatalf("%d of %d: %v", n, count, list)
				}
			}
		}
	}
}

func TestSameRunsSameBytes(t *testing.T) {
	a, b := makeRun(t, "a", 12), makeRun(t, "b", 15)
	first := write(t, "games", a, b)
	if write(t, "games", a, b) != first {
		t.Error("the bytes differ")
	}
}

// What is no run is an error that names it, and leaves no file.
func TestNoRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.html")
	broken, begun := makeRun(t, "broken", 1), makeRun(t, "begun", 0)
	if err := os.WriteFile(filepath.Join(broken, "config.yaml"), []byte("game: [\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{"missing": "missing is no run directory", broken: "config.yaml: ", begun: "has no metrics"} {
		if err := Write(file, Options{[]string{dir}, "games"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", dir, err)
		}
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("a file is there: %v", err)
	}
}

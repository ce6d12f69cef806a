package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"tengen/doors/web"
	"tengen/doors/web/runs"
	"tengen/players"
	"tengen/run"
	"tengen/run/runtest"
	"tengen/train"
	"tengen/train/checkpoint"
)

// The page follows a training run: each iteration, also after the connections break, and the end. The training waits
// for the page, so that the result does not depend on timing.
func TestRunWatchedLive(t *testing.T) {
	startChrome(t)
	dir := filepath.Join(t.TempDir(), "learning")
	live := runs.NewLive(dir)
	seen := make(chan struct{})
	config := runtest.Config()
	config.Train.Iterations, config.Train.EvaluateEvery = 3, 1
	config.Eval = run.EvalConfig{Against: "random", Games: 2}
	training := runtest.Train(t, config, dir, func(e train.Event) {
		live.Observe(e)
		if e.Phase == train.PhaseDone || e.Phase == train.PhaseEvaluate && e.Total == 0 { // before the first game
			select {
			case <-seen:
			case <-t.Context().Done():
			}
		}
	})
	address, stop, err := web.ServeTraining("127.0.0.1:0", live, training, web.Default())
	if err != nil {
		t.Fatal(err)
	}
	target, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	through := httputil.NewSingleHostReverseProxy(target)
	through.ErrorHandler = func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }
	through.ErrorLog = log.New(io.Discard, "", 0)
	proxy := httptest.NewServer(through) // can break connections
	defer proxy.Close()

	p := open(t, &site{url: proxy.URL, server: proxy}, "#/runs", desk)
	p.forgive("ERR_") // includes requests after the server stops
	p.find("heading", "learning is starting")
	ended := make(chan error, 1)
	go func() { ended <- training.Run(t.Context()) }()
	for i := 1; i <= 3; i++ {
		p.find("heading", "learning is being evaluated")
		p.find("progressbar", "learning: evaluate")
		p.wait(`document.querySelector('.live .progress.moving') && !document.querySelector('.live').innerText.includes('This phase')`)
		seen <- struct{}{}
		p.see(fmt.Sprintf("iteration %d of 3", i))
		p.find("progressbar", "learning: done")
		if i == 2 {
			streams := p.asked("api/runs/learning/events")
			proxy.CloseClientConnections()
			for p.asked("api/runs/learning/events") == streams {
				p.frame()
			}
		}
		seen <- struct{}{}
	}
	if err := errors.Join(<-ended, stop()); err != nil {
		t.Error(err)
	}
	p.find("heading", "learning has ended")
	p.wait(`!document.querySelector('.progress.moving')`)
	p.wait(`document.querySelector('.run') && !document.querySelector('.run .badge')`)
	if err := training.Close(); err != nil {
		t.Error(err)
	}
	p.wait(`document.querySelectorAll('.charts canvas').length > 0`)
}

// The page shows that a run has stopped or that its server is away. It follows the run again when the same command
// continues it.
func TestRunStoppedAndContinued(t *testing.T) {
	startChrome(t)
	dir := filepath.Join(t.TempDir(), "learning")
	config := runtest.Config()
	config.Train.Iterations = 3
	var target atomic.Pointer[url.URL] // of the current training process
	proxy := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target.Load())
			r.Out.Host = r.In.Host // otherwise the page's requests look like another site's
		},
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
		ErrorLog:     log.New(io.Discard, "", 0),
	})
	defer proxy.Close()
	start := func(halt int) (end func()) {
		live := runs.NewLive(dir)
		ctx, cancel := context.WithCancel(t.Context())
		halted := make(chan struct{})
		training := runtest.Train(t, config, dir, func(e train.Event) {
			live.Observe(e)
			if e.Phase == train.PhaseDone && e.Iteration == halt {
				close(halted)
				<-ctx.Done()
			}
		})
		address, stop, err := web.ServeTraining("127.0.0.1:0", live, training, web.Default())
		if err != nil {
			t.Fatal(err)
		}
		to, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		target.Store(to)
		ended := make(chan error, 1)
		go func() { ended <- training.Run(ctx) }()
		<-halted
		return func() {
			cancel()
			if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			if err := errors.Join(stop(), training.Close()); err != nil {
				t.Error(err)
			}
		}
	}

	end := start(2)
	p := open(t, &site{url: proxy.URL, server: proxy}, "#/runs", desk)
	p.forgive("ERR_")
	p.see("iteration 2 of 3")
	p.find("heading", "learning is between two iterations")
	working := target.Swap(&url.URL{Scheme: "http", Host: "127.0.0.1:1"}) // as after a kill
	proxy.CloseClientConnections()
	p.see("No connection since")
	p.find("heading", "learning may have stopped")
	target.Store(working)
	p.wait(`!document.querySelector('.lost')`)
	p.find("heading", "learning is between two iterations")
	end()
	p.find("heading", "learning stopped at 2 of 3")
	p.see("No connection since")
	end = start(3)
	p.see("iteration 3 of 3")
	p.wait(`!document.querySelector('.lost')`)
	end()
	p.find("heading", "learning has ended")
}

// A user who opens the link with the token can stop the run after the current iteration.
func TestStopFromPage(t *testing.T) {
	startChrome(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	dir := filepath.Join(t.TempDir(), "learning")
	live := runs.NewLive(dir)
	live.Stop = cancel
	config := runtest.Config()
	config.Train.Iterations = 50
	asked := make(chan struct{})
	training := runtest.Train(t, config, dir, func(e train.Event) {
		if e.Phase == train.PhaseDone && e.Iteration == 1 {
			select {
			case <-asked:
			case <-t.Context().Done():
			}
		}
		live.Observe(e)
	})
	address, stop, err := web.ServeTraining("0.0.0.0:0", live, training, web.Default())
	if err != nil {
		t.Fatal(err)
	}
	link, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- training.Run(ctx) }()
	p := blank(t, &site{url: "http://127.0.0.1:" + link.Port()}, desk)
	p.forgive("ERR_")
	p.visit("?" + link.RawQuery + "#/runs")
	p.click("button", "Stop after this iteration")
	p.see("It stops after this iteration.")
	close(asked)
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := errors.Join(stop(), training.Close()); err != nil {
		t.Error(err)
	}
	p.find("heading", "learning stopped at 1 of 50")
}

// The page of a training run opens at Runs. A server shows new runs in its folder without a reload.
func TestRunsAppear(t *testing.T) {
	folder := t.TempDir()
	s := serve(t, func(o *web.Options) { o.Folder = folder })
	p := open(t, s, "#/runs", desk)
	p.see("No runs yet")
	if err := os.CopyFS(filepath.Join(folder, "fresh"), os.DirFS(runtest.Run(t))); err != nil {
		t.Fatal(err)
	}
	p.find("checkbox", "fresh")
	p.wait(`document.querySelectorAll('.charts canvas').length > 0`)

	config := runtest.Config()
	dir := filepath.Join(t.TempDir(), "learning")
	live := runs.NewLive(dir)
	training := runtest.Train(t, config, dir, live.Observe)
	address, stop, err := web.ServeTraining("127.0.0.1:0", live, training, web.Default())
	if err != nil {
		t.Fatal(err)
	}
	p = open(t, &site{url: strings.TrimSuffix(address, "/")}, "", desk)
	p.find("heading", "learning is starting")
	p.forgive("ERR_")
	if err := errors.Join(stop(), training.Close()); err != nil {
		t.Error(err)
	}
}

// A user steps through a self-play game and sees the search's result at each move.
func TestSelfPlayGame(t *testing.T) {
	s := serve(t, func(o *web.Options) { o.Runs = []string{runtest.Run(t)} })
	var game record
	s.get(t, "runs/tiny/games/15", &game)
	p := open(t, s, "#/runs", desk)
	p.click("heading", "Games of tiny")
	p.click("link", "15")
	p.find("heading", "Game 15 of tiny")
	p.see(fmt.Sprintf("after %d moves. Model 1, worker local.", len(game.Plies)))
	for i, ply := range game.Plies {
		p.wait(fmt.Sprintf(`document.querySelectorAll('[role=gridcell]:not([aria-label$="empty"])').length === %d`, i))
		if ply.Opening {
			p.see(ply.Move + " was chosen at random for the opening.")
		} else {
			p.see("Self-play chose " + ply.Move + " after")
		}
		p.click("button", "One move on")
	}
	p.see("This is the end of the game, or a position outside it.")
	p.click("link", "Back to the run")
	p.find("heading", "Games of tiny")
}

// Analyse opens a game of any run, even while another process trains the run.
func TestGameOfRunIsAnalysed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "learning")
	config := runtest.Config()
	config.Train.Iterations = 1
	training := runtest.Train(t, config, dir, nil)
	s := serve(t, func(o *web.Options) { o.Runs = []string{runtest.Run(t), dir} })
	p := open(t, s, "#/analyse?game=connect4", desk)
	p.click("heading", "Games of runs")
	p.see("Games 0 to 15 are kept.")
	p.choose("Run", "learning")
	p.see("This run has no games yet.")
	if err := training.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.choose("Run", "tiny")
	p.see("are kept.")
	p.choose("Run", "learning")
	p.see("0 to 7 are kept.")
	p.click("button", "Open")
	p.find("heading", "Game 7 of learning")
	p.find("grid", "Board of Tic-tac-toe")
	if err := training.Close(); err != nil {
		t.Error(err)
	}
}

// grow adds iterations to a run, up to a number. Each repeats the metrics of the run's last iteration.
func grow(t *testing.T, dir string, iterations int) {
	t.Helper()
	metrics, err := checkpoint.ReadMetrics(dir)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(filepath.Join(dir, "metrics.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for m, n := metrics[len(metrics)-1], len(metrics); n < iterations; n++ {
		m.Iteration, m.Games = n+1, uint64(100*n)
		if err := json.NewEncoder(file).Encode(m); err != nil {
			t.Fatal(err)
		}
	}
}

// begun returns the directory of a run of so many iterations, named "begun", that was stopped after the first.
func begun(t *testing.T, iterations int) string {
	t.Helper()
	config := runtest.Config()
	config.Train.Iterations = iterations
	dir := filepath.Join(t.TempDir(), "begun")
	ctx, cancel := context.WithCancel(t.Context())
	training := runtest.Train(t, config, dir, func(e train.Event) {
		if e.Phase == train.PhaseDone {
			cancel()
		}
	})
	if err := training.Run(ctx); err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if err := training.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A zoomed chart keeps its range when an iteration ends, until the user asks for the whole run. The vertical axis
// can be logarithmic, and curves can be smoothed.
func TestZoomStays(t *testing.T) {
	dir := begun(t, 12)
	grow(t, dir, 8)
	s := serve(t, func(o *web.Options) { o.Runs, o.Limits.Poll = []string{dir}, time.Millisecond })
	p := open(t, s, "#/runs", desk)
	p.wait(`document.querySelectorAll('.charts canvas').length > 0`)
	eval[bool](p, `(document.querySelector('.charts .u-over').scrollIntoView({ block: 'center' }), true)`)
	p.frame()
	box := eval[[]float64](p, `(({ left, top, width, height }) => [left, top, width, height])(
		document.querySelector('.charts .u-over').getBoundingClientRect())`)
	y := box[1] + box[3]/2
	at := func(kind input.DispatchMouseEventType, share float64) chromedp.Action[chromedp.Void] {
		return chromedp.MouseEvent(kind, box[0]+share*box[2], y, chromedp.ButtonType(input.MouseButtonLeft))
	}
	p.do(at(chromedp.MouseMoved, 0.3), at(chromedp.MousePressed, 0.3), at(chromedp.MouseMoved, 0.6), at(chromedp.MouseReleased, 0.6))
	p.find("button", "Whole run")
	grow(t, dir, 10)
	p.see("iteration 10 of 12")
	p.frame()
	p.find("button", "Whole run")
	p.click("button", "Whole run")
	p.wait(`![...document.querySelectorAll('.chart button')].some((b) => b.innerText === 'Whole run')`)
	logs := `[...document.querySelectorAll('.chart button')].filter((b) => b.innerText === 'Log axis')`
	eval[bool](p, logs+`.every((b) => (b.click(), true))`)
	p.wait(logs + `.length > 2 && ` + logs + `.every((b) => b.ariaPressed === 'true')`)
	p.click("button", "much")
	p.wait(`location.hash.includes('smooth=much')`)
}

// A run's newest model is one of the players, even if another player has its name. A slider chooses an older model.
// Two models of a run can play each other.
func TestModelsOfRun(t *testing.T) {
	given, err := players.ParseSpec("net:" + runtest.Run(t))
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, func(o *web.Options) { o.Runs, o.Players = []string{runtest.Run(t)}, []players.Spec{given} })
	p := open(t, s, "#/play?game=tictactoe", desk)
	if all := eval[[]string](p, `[...document.querySelectorAll('#seat-second option')].map((o) => o.value)`); slices.Contains(all, "tiny@1") {
		t.Errorf("older models are in the list: %v", all)
	}
	p.choose("X, moves first", "tiny-2")
	p.see("iteration 2 of 2")
	slide := func(seat string, to int) {
		eval[bool](p, fmt.Sprintf(`(() => {
			document.querySelector('.setup').open = true;
			const e = document.querySelector('[aria-label="%s: iteration"]');
			e.focus();
			e.value = %d;
			return e.dispatchEvent(new Event('input', { bubbles: true }));
		})()`, seat, to))
		p.see(fmt.Sprintf("iteration %d of 2", to))
	}
	slide("X, moves first", 0)
	p.choose("O", "tiny-2") // the focus on the slider keeps the settings open
	slide("O", 1)
	first, second := p.address().Get("first"), p.address().Get("second")
	if !strings.HasPrefix(first, "tiny@0~") || !strings.HasPrefix(second, "tiny@1~") {
		t.Errorf("%s plays %s", first, second)
	}
	p.wait(`document.querySelector('main .standing.ended') && ` + noted)
}

// The page compares the opinions of a run's models on a position, and again after a move.
func TestPositionOverIterations(t *testing.T) {
	s := serve(t, func(o *web.Options) { o.Runs = []string{runtest.Run(t)} })
	p := open(t, s, "#/analyse?game=tictactoe&by=uct~50s", desk)
	p.click("heading", "This position over the iterations")
	rows := `[...document.querySelectorAll('.past tbody tr')]`
	full := rows + `.length === 3 && ` + rows + `.every((r) => /[+−±]\d/.test(r.innerText) && r.querySelectorAll('.likely').length === 3)`
	p.wait(full)
	asked := p.asked("api/analysis")
	p.click("gridcell", "b2, empty")
	p.wait(`location.hash.includes('moves=b2')`)
	p.wait(full)
	if more := p.asked("api/analysis") - asked; more < 3 {
		t.Errorf("another position causes %d requests", more)
	}
}

// The page replays a run's newest game, and compares values with results.
func TestNewestGame(t *testing.T) {
	s := serve(t, func(o *web.Options) { o.Runs = []string{runtest.Run(t)} })
	var game record
	s.get(t, "runs/tiny/games/15", &game)
	p := open(t, s, "#/runs", desk)
	p.see(fmt.Sprintf("move %d of %[1]d", len(game.Plies)))
	p.click("button", "Play")
	p.see(fmt.Sprintf("move 1 of %d", len(game.Plies)))
	p.see(fmt.Sprintf("move 2 of %d", len(game.Plies)))
	p.click("button", "Pause")
	p.click("heading", "Value calibration of tiny")
	p.see("newest 16 games")
	p.wait(`document.querySelectorAll('.calibrated circle').length === document.querySelectorAll('.calibrated tbody tr').length`)
}

// A user can download the curves and a report.
func TestDownloads(t *testing.T) {
	s := serve(t, func(o *web.Options) { o.Runs = []string{runtest.Run(t)} })
	p := blank(t, s, desk)
	taken := func(name string) string { // what a click on a button downloads
		t.Helper()
		p.find("button", name)
		return eval[string](p, fmt.Sprintf(`(async () => {
			const made = [];
			const create = URL.createObjectURL;
			URL.createObjectURL = (blob) => { made.push(blob.text()); return create.call(URL, blob); };
			[...document.querySelectorAll('button')].find((b) => b.innerText === %s).click();
			URL.createObjectURL = create;
			return (await made[0]);
		})()`, quote(name)))
	}
	p.visit("#/runs")
	if got := taken("Curves (CSV)"); !strings.HasPrefix(got, "run,chart,series,games,value,low,high\ntiny,") {
		t.Errorf("the curves are %.100s", got)
	}
	report := eval[string](p, `fetch([...document.querySelectorAll('a')].find((a) => a.innerText === 'Report (HTML)').href).then((r) => r.text())`)
	if !strings.Contains(report, "Content-Security-Policy") {
		t.Errorf("the report is %.100s", report)
	}
}

// A report is the Runs page in one file. It opens without a server, requests nothing, and has every run over the
// chosen axis, including later measurements of its models.
func TestReport(t *testing.T) {
	folder, dirs := t.TempDir(), []string{runtest.Run(t), filepath.Join(t.TempDir(), "other")}
	if err := os.CopyFS(dirs[1], os.DirFS(dirs[0])); err != nil {
		t.Fatal(err)
	}
	measured := []checkpoint.Measured{
		{Iteration: 0, Points: []checkpoint.Point{checkpoint.Between("above random", 10, 5, 15)}},
		{Iteration: 2, Points: []checkpoint.Point{checkpoint.Between("above random", 200, 150, 240)}},
	}
	if _, err := checkpoint.SaveMeasured(dirs[1], checkpoint.LadderChart, measured); err != nil {
		t.Fatal(err)
	}
	page, err := web.Report(dirs, "steps", func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "report.html"), page, 0o644); err != nil {
		t.Fatal(err)
	}
	p := open(t, &site{url: "file://" + folder}, "report.html", desk)
	p.wait(`document.querySelectorAll('.charts .chart').length === 4`)
	p.wait(`document.querySelector('.axis [aria-pressed=true]')?.innerText === 'steps'`)
	p.find("heading", "Ladder Elo")
	p.find("heading", "Configuration of other")
	p.click("heading", "Changed settings of other")
	p.see("train.iterations")
	p.click("button", "hours")
	p.wait(`location.hash.includes('axis=hours') && location.hash.includes('show=tiny&show=other')`)
	p.click("checkbox", "other")
	p.wait(`!document.querySelector('#chart-ladder')`)
	if n := p.asked(""); n > 1 {
		t.Errorf("the report requested %d files", n)
	}
}

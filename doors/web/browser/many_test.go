package browser

// A hundred runs, and long ones: what is shown first, how runs are found, and what it costs.

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"tengen/doors/web"
	"tengen/run/runtest"
)

// drawn is true if the charts in view are drawn.
const drawn = `document.querySelector('.charts .plot') && ![...document.querySelectorAll('.charts .plot')].some((e) => {
	const { top, bottom } = e.getBoundingClientRect();
	return top < innerHeight && bottom > 0 && !e.querySelector('canvas');
})`

// listRequests is the number of times that the page has asked for the list of runs, which it does again by itself.
const listRequests = `performance.getEntriesByType('resource').filter((e) => /api.runs$/.test(e.name)).length`

// manyRuns returns a folder with copies of a run, each a second newer than the one before.
func manyRuns(t *testing.T, n int) string {
	t.Helper()
	folder := t.TempDir()
	for i := range n {
		dir := filepath.Join(folder, fmt.Sprintf("run%03d", i))
		if err := os.CopyFS(dir, os.DirFS(runtest.Run(t))); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "metrics.jsonl")
		metrics, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(string(metrics), `"time":"2`, fmt.Sprintf(`"time":"3%03d-01-01T00:00:00Z","was":"2`, i)) // the last of two equal keys counts
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// Of a hundred runs, the newest is shown first, whatever its name. A filter and an order find others. At most twenty are shown at once,
// with colours that differ and without the bands of their intervals. The charts begin on the first screen.
func TestHundredRuns(t *testing.T) {
	folder := manyRuns(t, 100)
	s := serve(t, func(o *web.Options) { o.Folder = folder })
	p := open(t, s, "#/runs", desk)
	p.wait(`document.querySelector('.charts canvas')`)
	p.wait(`document.querySelectorAll('.run').length === 100 && document.querySelector('.run.shown b').innerText === 'run099'`)
	if top := eval[float64](p, `document.querySelector('.charts').getBoundingClientRect().top`); top > 900 {
		t.Errorf("the charts begin at %.0f pixels", top)
	}
	p.wait(`(document.querySelector('.run-tools input').focus(), true)`)
	p.do(chromedp.KeyEvent("run01"))
	p.see("10 runs of 100, 1 shown")
	p.choose("Order", "name")
	p.wait(`[...document.querySelectorAll('.run b')].map((e) => e.innerText).join() === 'run010,run011,run012,run013,run014,run015,run016,run017,run018,run019'`)
	p.click("button", "Show these")
	p.see("10 runs of 100, 10 shown")
	p.wait(`new Set([...document.querySelectorAll('.charts .chart:first-child .legend path')].map((e) => getComputedStyle(e).stroke + e.style.strokeDasharray)).size
		=== document.querySelectorAll('.charts .chart:first-child .legend li').length`)
	p.wait(`!document.querySelector('.charts .chart:first-child .legend small')`) // no intervals
	p.wait(`(document.querySelector('.run-tools input').value = '', document.querySelector('.run-tools input').dispatchEvent(new Event('input', { bubbles: true })), true)`)
	p.click("button", "Show these")
	p.see("100 runs, 20 shown, at most 20 at once")
	p.click("button", "Hide all")
	p.see("100 runs, 0 shown")
	requests := eval[int](p, listRequests)
	p.wait(fmt.Sprintf("%s > %d", listRequests, requests))
	p.frame()
	p.see("100 runs, 0 shown")
}

// A game of a run is analysed by that run's newest model, and the opponent on the Play page does not depend on the runs.
func TestGameOfOneOfManyRuns(t *testing.T) {
	folder := manyRuns(t, 3)
	s := serve(t, func(o *web.Options) { o.Folder = folder })
	p := open(t, s, "#/analyse?run=run001&id=15&at=0", desk)
	p.wait(`document.querySelector('select[id=opinion-0]')?.value === 'run001'`)
	p.visit("#/play?game=tictactoe")
	if second := p.address().Get("second"); strings.HasPrefix(second, "run") {
		t.Errorf("the opponent is %s", second)
	}
}

// A long run comes thinned and packed, and again not at all. Its curves say where the cursor is, in their unit.
func TestLongRunIsLight(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "long")
	if err := os.CopyFS(dir, os.DirFS(runtest.Run(t))); err != nil {
		t.Fatal(err)
	}
	grow(t, dir, 3000)
	s := serve(t, func(o *web.Options) { o.Runs = []string{dir} })
	p := open(t, s, "#/runs", desk)
	p.wait(`document.querySelector('.charts canvas')`)
	const sizes = `performance.getEntriesByType('resource').filter((e) => /api.runs.long\?/.test(e.name)).map((e) => e.transferSize).at(-1)`
	if cold := eval[int](p, sizes); cold > 60_000 {
		t.Errorf("the run takes %d bytes", cold)
	}
	p.reload()
	p.wait(`document.querySelector('.charts canvas')`)
	if warm := eval[int](p, sizes); warm > 500 {
		t.Errorf("the second time, the run takes %d bytes", warm)
	}
	p.wait(`document.querySelector('.u-label')?.innerText !== 'hours'`)
	eval[bool](p, `(document.querySelector('.charts .u-over').scrollIntoView({ block: 'center' }), true)`)
	p.frame()
	box := eval[[]float64](p, `(({ left, top, width, height }) => [left + width / 2, top + height / 2])(document.querySelector('.charts .u-over').getBoundingClientRect())`)
	p.do(chromedp.MouseEvent(chromedp.MouseMoved, box[0], box[1]))
	p.wait(`/^[\d\u202f]+ games$/.test(document.querySelector('.chart .at').innerText)`)
}

// However fast iterations end, a page draws at most once in two seconds, and only the charts in view.
func TestFastRunIsCalm(t *testing.T) {
	dir := begun(t, 1000)
	s := serve(t, func(o *web.Options) { o.Runs, o.Limits.Poll = []string{dir}, time.Millisecond })
	p := open(t, s, "#/runs", desk)
	p.wait(`document.querySelector('.charts canvas')`)
	eval[bool](p, `(document.querySelectorAll('.chart-group').forEach((d) => { d.open = true; }), true)`)
	eval[bool](p, `new Promise((done) => setTimeout(() => done(true), 300))`)
	eval[bool](p, `(window.drawn = [], (() => {
		const clear = CanvasRenderingContext2D.prototype.clearRect;
		CanvasRenderingContext2D.prototype.clearRect = function (...a) { window.drawn.push([performance.now(), this.canvas]); return clear.apply(this, a); };
	})(), true)`)
	for n := 10; n < 60; n++ {
		grow(t, dir, n)
		p.frame()
	}
	p.see("iteration 59 of")
	p.wait(`window.drawn.length > 0`)
	times := eval[int](p, `new Set(window.drawn.map(([at]) => Math.round(at / 1000))).size`)
	span := eval[float64](p, `(window.drawn.at(-1)[0] - window.drawn[0][0]) / 1000`)
	if float64(times) > span/2+2 {
		t.Errorf("the charts were drawn in %d different seconds of %.1f", times, span)
	}
	if out := eval[int](p, `new Set(window.drawn.map(([, canvas]) => canvas).filter((c) => {
		const { top, bottom } = c.getBoundingClientRect();
		return bottom < 0 || top > innerHeight;
	})).size`); out > 0 {
		t.Errorf("%d charts out of view were drawn", out)
	}
}

// Without runs, the page names the folder where they appear and the flag that trains one there.
func TestEmptyFolderIsNamed(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "mine")
	p := open(t, serve(t, func(o *web.Options) { o.Folder = folder }), "#/runs", desk)
	p.see("start a training with --run " + folder + "/mine")
}

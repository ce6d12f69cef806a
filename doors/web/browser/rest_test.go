package browser

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"tengen/doors/web"
	"tengen/run/runtest"
)

// The charts of strength and losses are open, the others closed. The page remembers which ones the user opens and closes.
func TestChartsFold(t *testing.T) {
	p := open(t, serve(t, func(o *web.Options) { o.Runs = []string{runtest.Run(t)} }), "#/runs", phone)
	groups := func(open string) string {
		return `[...document.querySelectorAll('.chart-group')].filter((g) => g.open).map((g) => g.querySelector('h2').firstChild.data.trim()).join() === ` + quote(open) +
			` && [...document.querySelectorAll('.chart-group')].every((g) => g.open === !!g.querySelector('.chart'))`
	}
	p.wait(groups("Losses")) // the run has no figures of its strength
	for _, group := range []string{"Losses", "Speed", "Games"} {
		eval[bool](p, fmt.Sprintf(`([...document.querySelectorAll('.chart-group')].find((g) => g.innerText.startsWith(%s)).firstElementChild.click(), true)`, quote(group)))
	}
	p.wait(groups("Games,Speed"))
	p.reload()
	p.wait(groups("Games,Speed"))
}

// hasten makes the page's timers a thousand times faster. The page adds their milliseconds up in window.waited.
const hasten = `(() => {
	const wait = window.setTimeout;
	window.waited = 0;
	window.setTimeout = (f, ms = 0, ...rest) => wait(() => { window.waited += ms; f(...rest); }, ms / 1000);
})()`

// A finished run rests: the page replays its newest game once, then asks for the list of runs less and less often.
func TestFinishedRunRests(t *testing.T) {
	s := serve(t, func(o *web.Options) { o.Runs = []string{runtest.Run(t)} })
	p := blank(t, s, desk)
	p.do(chromedp.EmulateViewport(desk.width, desk.height))
	if _, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{}); err != nil { // motion is not reduced
		t.Fatal(err)
	}
	if _, err := chromedp.Call(p.ctx, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: hasten}); err != nil {
		t.Fatal(err)
	}
	var game record
	s.get(t, "runs/tiny/games/15", &game)
	p.visit("#/runs")
	p.see(fmt.Sprintf("move %d of %[1]d", len(game.Plies)))
	p.find("button", "Play")
	p.wait(`window.waited > 600_000`)
	if n := p.asked("api/position"); n != len(game.Plies)+1 {
		t.Errorf("a game of %d moves asks for %d positions", len(game.Plies), n)
	}
	if n := p.asked("api/runs"); n > 25 {
		t.Errorf("in ten minutes, the page asks %d times for runs", n)
	}
	asked := p.asked("api/position")
	eval[bool](p, `(new MutationObserver(() => { window.replayed ||= document.querySelector('.newest-game').innerText.includes('Pause'); })
		.observe(document.querySelector('.newest-game'), { subtree: true, childList: true, characterData: true }), true)`)
	p.click("button", "Play")
	p.wait(`window.replayed`) // which may take less time than to look for a button
	p.find("button", "Play")
	if n := p.asked("api/position"); n > asked {
		t.Errorf("another replay asks for %d positions again", n-asked)
	}
}

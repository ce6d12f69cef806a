package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
)

// Pointing at a candidate, on the board or in the table, shows its line as numbered stones. Stone 1 is in the cell
// of the candidate.
func TestPointingShowsLine(t *testing.T) {
	p := open(t, serve(t, nil), "#/analyse?game=connect4&moves=4455&by=uct~400s", desk)
	p.wait(simulations + ` >= 400`)
	p.point("gridcell", "column 3, row 1, empty")
	p.wait(ghosts("column 3, row 1, empty"))
	p.point("heading", "Candidates")
	p.wait(`!document.querySelector('.drawing .ghost')`)
	p.wait(`(document.querySelector('table.candidates .move').focus(), true)`)
	p.wait(ghosts(""))
}

// ghosts is true if the board shows a line as stones numbered from 1. If cell is not "", the first must be in the
// cell with that label.
func ghosts(cell string) string {
	return fmt.Sprintf(`(() => {
		const stones = [...document.querySelectorAll('.drawing .ghost')];
		if (!stones.length || stones.some((s, i) => s.textContent.trim() !== String(i + 1))) return false;
		const cell = document.querySelector('[aria-label=%s]')?.getBoundingClientRect();
		if (!cell) return %t;
		const { left, top, width, height } = stones[0].getBoundingClientRect();
		const [x, y] = [left + width / 2, top + height / 2];
		return x > cell.left && x < cell.right && y > cell.top && y < cell.bottom;
	})()`, quote(cell), cell == "")
}

// The page shows the result of perfect play beside the search, and lists the mistakes that it finds.
func TestTruthAndMistakes(t *testing.T) {
	p := open(t, serve(t, nil), "#/analyse?game=tictactoe&moves=a1b1b2c1&by=uct~100s", desk)
	p.see("With perfect play: X wins in 1 ply by playing c3")
	p.click("button", "Find mistakes")
	p.wait(`document.querySelector('[aria-label=Mistakes] li')`)
	p.see("turns a draw into a loss")
	numbers := eval[[]int](p, `(() => {
		let number = 0;
		const numbers = [parseInt(document.querySelector('[aria-label=Mistakes] .wrong-2').innerText)];
		for (const pair of document.querySelectorAll('.moves .pair')) {
			number = parseInt(pair.querySelector('.number').innerText);
			if (pair.querySelector('.wrong-2')) return [...numbers, number];
		}
	})()`)
	if numbers[0] != numbers[1] {
		t.Errorf("the list of mistakes numbers the move %d, the list of moves %d", numbers[0], numbers[1])
	}
	p.click("button", "Truth")
	p.wait(`!document.body.innerText.includes('With perfect play')`)
}

// Several players analyse the same position. The search tree shows the replies to a move.
func TestOpinionsAndTree(t *testing.T) {
	p := open(t, serve(t, nil), "#/analyse?game=connect4&moves=44&by=uct~300s&by=alphabeta~2d", desk)
	p.wait(`document.querySelectorAll('.opinion-name').length === 2`)
	p.wait(simulations + ` >= 300`)
	p.click("heading", "Search tree")
	const four = `[...document.querySelectorAll('.child')].find((b) => b.textContent.includes('Look at 4'))`
	p.wait(four)
	eval[bool](p, `(`+four+`.click(), true)`)
	p.wait(`/visits, value/.test(document.querySelector('.look').innerText)`)
	p.wait(four)
}

// Text that a user types survives redraws.
func TestTypingWhileItThinks(t *testing.T) {
	p := open(t, serve(t, nil), "#/analyse?game=connect4&moves=44&by=connect4~1000000s", desk)
	p.wait(simulations + ` > 0`)
	p.wait(`(document.querySelector('input[name=moves]').focus(), true)`)
	p.press("353")
	before := eval[float64](p, simulations)
	p.wait(fmt.Sprintf(`%s > %g`, simulations, before))
	if text := eval[string](p, `document.querySelector('input[name=moves]').value`); !strings.Contains(text, "353") || !strings.Contains(text, "44") {
		t.Errorf("the field says %q", text)
	}
}

// The analysis continues after the connections break.
func TestStreamGoesOn(t *testing.T) {
	s := serve(t, nil)
	p := open(t, s, "#/analyse?game=gomoku&by=gomoku~1000000s", desk)
	p.forgive("ERR_INCOMPLETE_CHUNKED_ENCODING") // the broken connection
	p.forgive("ERR_EMPTY_RESPONSE")
	p.forgive("ERR_CONNECTION")
	p.click("button", "Truth") // would ask only once
	p.wait(simulations + ` > 0`)
	streams := p.asked("api/analysis")
	s.server.CloseClientConnections()
	for p.asked("api/analysis") == streams {
		p.frame()
	}
	before := eval[float64](p, simulations)
	p.wait(fmt.Sprintf(`%s > %g`, simulations, before))
	p.click("button", "Stop thinking")
	p.find("button", "Think")
}

// The page says that the server is away. The search continues when the server returns.
func TestServerAway(t *testing.T) {
	s, away := leaving(t)
	p := open(t, s, "#/analyse?game=gomoku&by=gomoku~1000000s", desk)
	p.forgive("ERR_")
	p.wait(simulations + ` > 0`)
	away.Store(true)
	s.server.CloseClientConnections()
	p.see("The server does not answer, trying again")
	p.click("gridcell", "a15, empty")
	p.see("The server does not answer. The page continues")
	away.Store(false)
	p.wait(`!document.querySelector('.verdict').innerText.includes('trying again')`)
	p.find("gridcell", "a15, black, last move")
	p.click("button", "Stop thinking")
	p.wait(`!document.querySelector('[role=alert]')`)
}

// A move, a page and the list of games that the server did not answer come once it does, and so does the board of a page
// that was opened meanwhile.
func TestServerReturns(t *testing.T) {
	s, away := leaving(t)
	p := open(t, s, "#/play?game=connect4&first=person&second=person", desk)
	p.forgive("ERR_")
	for _, step := range []struct{ do, come func() }{
		{func() { p.press("3") }, func() { p.hear("Red: 3.") }},
		{func() { p.do(followLink("#/analyse?game=gomoku&by=random")) }, func() { p.find("gridcell", "h8, empty") }},
	} {
		away.Store(true)
		step.do()
		p.see("The server does not answer. The page continues")
		away.Store(false)
		step.come()
		p.wait(`!document.querySelector('[role=alert]')`)
	}
}

// leaving is a site, and whether its server is away.
func leaving(t *testing.T) (*site, *atomic.Bool) {
	t.Helper()
	target, err := url.Parse(serve(t, nil).url)
	if err != nil {
		t.Fatal(err)
	}
	away := new(atomic.Bool)
	forward := httputil.NewSingleHostReverseProxy(target)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if away.Load() {
			panic(http.ErrAbortHandler)
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	return &site{url: proxy.URL, server: proxy}, away
}

// simulations is the search's number of simulations as the page shows it, or 0 before the first report.
const simulations = `(() => {
	const found = /([\d.]+)([kM]?) simulations/.exec(document.querySelector('.verdict')?.innerText);
	return found ? found[1] * { '': 1, k: 1e3, M: 1e6 }[found[2]] : 0;
})()`

package browser

import (
	"fmt"
	"path/filepath"
	"testing"

	"tengen/engine/enginetest"
	"tengen/web"
)

// hold keeps back what the page asks for at an address with a part, until release.
func (p *page) hold(part string) {
	p.t.Helper()
	eval[bool](p, fmt.Sprintf(`(() => {
		const ask = window.fetch;
		const gate = new Promise((open) => { window.openGate = open; });
		window.held = window.answered = 0;
		window.fetch = async (address, options) => {
			if (!address.includes(%s)) return ask(address, options);
			window.held++;
			await gate;
			const response = await ask(address, options);
			response.clone().text().then(() => setTimeout(() => window.answered++));
			return response;
		};
		return true;
	})()`, quote(part)))
}

// release lets the page have what hold has kept back, and waits until it has taken it.
func (p *page) release() {
	p.t.Helper()
	p.wait(`window.held > 0`)
	held := eval[int](p, `(window.openGate(), window.held)`)
	p.wait(fmt.Sprintf(`window.answered >= %d`, held))
	p.frame()
}

// Who leaves a page before the server has answered a move stays there: the address is that of the page that is seen.
func TestMoveAnsweredLate(t *testing.T) {
	p := open(t, serve(t, nil), "#/play?game=tictactoe&first=person&second=random", desk)
	p.hold("api/position")
	p.click("gridcell", "b2, empty")
	p.wait(`window.held > 0`)
	p.click("link", "Runs")
	p.see("No runs yet")
	asked := p.asked("api/analysis")
	p.release()
	if hash := eval[string](p, `location.hash`); hash != "#/runs" {
		t.Errorf("the address of the runs is %s", hash)
	}
	if n := p.asked("api/analysis"); n > asked {
		t.Error("a player thinks though nobody plays")
	}
}

// Of two addresses that are opened one after the other, the later one is seen, whichever the server answers first.
func TestAddressAnsweredLate(t *testing.T) {
	p := open(t, serve(t, nil), "#/analyse?game=connect4&by=uct~50s", desk)
	p.hold("api/players?game=gomoku")
	p.do(followLink("#/analyse?game=gomoku"))
	p.wait(`window.held > 0`)
	p.do(followLink("#/play?game=tictactoe&first=person&second=random"))
	p.find("gridcell", "b2, empty")
	p.release()
	if game := p.address().Get("game"); game != "tictactoe" {
		t.Errorf("the address has %s", game)
	}
	p.find("gridcell", "b2, empty")
	p.click("link", "Analyse")
	p.wait(`document.querySelector('select[id=opinion-0]')?.value === 'uct'`) // who was asked before
}

// A run that is known only when its page has been left is not watched.
func TestRunAnsweredLate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "learning")
	training := enginetest.Train(t, enginetest.Config(), dir, nil)
	p := open(t, serve(t, func(o *web.Options) { o.Runs = []string{dir} }), "#/play?game=tictactoe", desk)
	p.hold("api/runs/learning")
	p.click("link", "Runs")
	p.wait(`window.held > 0`)
	p.click("link", "Play")
	p.find("gridcell", "b2, empty")
	p.release()
	p.frame()
	if n := p.asked("api/runs/learning/events"); n > 0 {
		t.Errorf("the run is watched by %d streams that nobody sees", n)
	}
	if err := training.Close(); err != nil {
		t.Error(err)
	}
}

// While a move is on its way there is no place for another, also where one analyses.
func TestSecondMoveTooSoon(t *testing.T) {
	p := open(t, serve(t, nil), "#/analyse?game=connect4&by=random", desk)
	p.hold("api/position")
	p.press("4")
	p.press("5")
	p.release()
	p.wait(`location.hash.includes('moves=4&')`)
	if n := eval[int](p, `document.querySelectorAll('.moves .ply').length`); n != 1 {
		t.Errorf("there are %d moves", n)
	}
}

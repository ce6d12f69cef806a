package browser

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"tengen/doors/web"
	"tengen/run/runtest"
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

// backAtOnce does what asks for a position, goes back in the history before that has come, and lets both positions come then.
func (p *page) backAtOnce(do func()) {
	p.t.Helper()
	p.hold("api/position")
	do()
	p.wait(`window.held > 0`)
	eval[bool](p, `(history.back(), true)`)
	p.wait(`window.held > 1`)
	p.release()
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

// Who presses New game and goes back at once is at the board before: nothing of the new game comes later, and nobody plays by himself.
func TestNewGameAnsweredLate(t *testing.T) {
	p := open(t, serve(t, nil), "#/play?game=tictactoe&first=person&second=person", desk)
	p.do(followLink("#/play?game=connect4&moves=44&first=random&second=random"))
	p.find("gridcell", "column 4, row 2, yellow, last move")
	p.backAtOnce(func() { p.click("button", "New game") })
	p.find("gridcell", "b2, empty")
	if n := p.asked("api/analysis"); n > 0 {
		t.Error("a player thinks though nobody has begun a game")
	}
	eval[bool](p, `(history.forward(), true)`)
	p.find("gridcell", "column 4, row 2, yellow, last move")
}

// Who chooses another board to analyse and goes back at once sees the board before, and those who were asked there.
func TestBoardAnsweredLate(t *testing.T) {
	p := open(t, serve(t, nil), "#/analyse?game=tictactoe&by=random", desk)
	p.do(followLink("#/analyse?game=connect4&moves=44&by=uct~50s"))
	p.find("gridcell", "column 4, row 2, yellow, last move")
	p.backAtOnce(func() { p.choose("Board", "gomoku") })
	p.find("gridcell", "b2, empty")
	p.wait(`document.querySelector('select[id=opinion-0]').value === 'random'`)
	eval[bool](p, `(history.forward(), true)`)
	p.find("gridcell", "column 4, row 2, yellow, last move")
	p.wait(`document.querySelector('select[id=opinion-0]').value === 'uct'`)
}

// Who plays on while an address is opened stays at his board, with those who are asked there; one step back there is the address.
func TestAddressIsLeftForMove(t *testing.T) {
	p := open(t, serve(t, nil), "#/analyse?game=tictactoe&by=random", desk)
	p.hold("api/position?game=connect4")
	p.do(followLink("#/analyse?game=connect4&by=uct~50s"))
	p.wait(`window.held > 0`)
	p.click("gridcell", "b2, empty")
	p.find("gridcell", "b2, X, last move")
	p.wait(`location.hash.includes('moves=b2')`)
	p.release()
	p.find("gridcell", "b2, X, last move")
	if a := p.address(); a.Get("game") != "tictactoe" || a.Get("moves") != "b2" || a.Get("by") != "random" {
		t.Errorf("the address has %v", a)
	}
	eval[bool](p, `(history.back(), true)`)
	p.find("gridcell", "column 4, row 1, empty")
	p.wait(`document.querySelector('select[id=opinion-0]').value === 'uct'`)
}

// A game that does not exist leaves the board as it was, and those who are asked there go on.
func TestAddressIsRefused(t *testing.T) {
	p := open(t, serve(t, nil), "#/analyse?game=gomoku&by=gomoku~1000000s", desk)
	p.forgive("status of 400")
	p.wait(simulations + ` > 0`)
	streams := p.asked("api/analysis")
	p.do(followLink("#/analyse?game=chess"))
	p.see("chess")
	p.click("button", "Close the message")
	for p.asked("api/analysis") == streams {
		p.frame()
	}
}

// A move that the server does not answer keeps nobody from moves in another game.
func TestMoveNeverAnswered(t *testing.T) {
	p := open(t, serve(t, nil), "#/analyse?game=tictactoe&by=random", desk)
	p.hold("moves=b2")
	p.click("gridcell", "b2, empty")
	p.wait(`window.held > 0`)
	p.do(followLink("#/analyse?game=connect4&by=random"))
	p.find("gridcell", "column 4, row 1, empty")
	p.press("4")
	p.wait(`location.hash.includes('moves=4&')`)
	p.release()
	if a := p.address(); a.Get("game") != "connect4" || a.Get("moves") != "4" {
		t.Errorf("the address has %v", a)
	}
}

// A run that is known only when its page has been left is not watched.
func TestRunAnsweredLate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "learning")
	training := runtest.Train(t, runtest.Config(), dir, nil)
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

// A training whose end nobody has watched has ended when the list of runs, asked for anew, says so.
func TestTrainingEndsUnseen(t *testing.T) {
	p := open(t, serve(t, func(o *web.Options) { o.Runs = []string{runtest.Run(t)} }), "#/play?game=tictactoe", desk)
	eval[bool](p, `(() => {
		const ask = window.fetch;
		window.training = true;
		window.fetch = async (address, options) => {
			const response = await ask(address, options);
			if (!/^api\/runs(\/tiny)?$/.test(address)) return response;
			const text = await response.text();
			return new Response(text.replaceAll('"training":false', '"training":' + window.training));
		};
		return true;
	})()`)
	p.click("link", "Runs")
	p.wait(`document.querySelector('.run-card .badge')`)
	p.find("heading", "Games of tiny") // its details are there, too
	p.click("link", "Play")
	p.find("gridcell", "b2, empty")
	eval[bool](p, `(window.training = false, true)`)
	p.click("link", "Runs")
	p.wait(`document.querySelector('.run-card') && !document.querySelector('.run-card .badge')`)
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

// stones is the number of stones on the board.
const stones = `document.querySelectorAll('[role=gridcell]:not([aria-label$=empty])').length`

// A move can be taken back while it is on its way. The moves before it stay.
func TestTakeBackTooSoon(t *testing.T) {
	p := open(t, serve(t, nil), "#/play?game=connect4&moves=44&first=person&second=person", desk)
	p.hold("api/position")
	p.press("3")
	p.wait(`window.held > 0`)
	p.press("u")
	p.release()
	if n := eval[int](p, stones); n != 2 {
		t.Errorf("%d stones are on the board", n)
	}
}

// Each take-back counts, also while the position of the one before is on its way.
func TestTakeBackTwice(t *testing.T) {
	p := open(t, serve(t, nil), "#/play?game=connect4&moves=4455&first=person&second=person", desk)
	p.hold("api/position")
	p.press("u")
	p.wait(`window.held > 0`)
	p.press("u")
	p.release()
	if n := eval[int](p, stones); n != 2 {
		t.Errorf("%d stones are on the board", n)
	}
}

// A hint that comes before the move that is on its way does not stay on the board after it.
func TestHintBeforeMove(t *testing.T) {
	p := open(t, serve(t, nil), "#/play?game=tictactoe&first=person&second=person", desk)
	p.hold("api/position")
	p.click("gridcell", "b2, empty")
	p.wait(`window.held > 0`)
	p.press("h")
	p.see("would play")
	p.release()
	p.wait(stones + ` === 1`)
	if eval[bool](p, `document.body.innerText.includes('would play')`) {
		t.Error("the hint for the position before is shown")
	}
}

// Who resigns while a move is on its way has lost.
func TestResignTooSoon(t *testing.T) {
	p := open(t, serve(t, nil), "#/play?game=tictactoe&moves=a1b1&first=person&second=person", desk)
	p.hold("api/position")
	p.click("gridcell", "b2, empty")
	p.wait(`window.held > 0`)
	p.click("button", "Resign")
	p.release()
	p.see("X resigned: O wins")
}

// A key that leads nowhere does not keep the player from its answer.
func TestKeyAtTheStart(t *testing.T) {
	p := open(t, serve(t, nil), "#/play?game=connect4&first=person&second=random", desk)
	p.hold("api/position")
	p.press("4")
	p.wait(`window.held > 0`)
	p.press(kb.ArrowLeft)
	p.release()
	p.hear("Yellow: ")
}

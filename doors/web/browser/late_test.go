package browser

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"tengen/doors/web"
	"tengen/run/runtest"
)

// hold holds the page's requests to addresses that contain part, until release.
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

// release sends the held requests and waits until the page has their responses.
func (p *page) release() {
	p.t.Helper()
	p.wait(`window.held > 0`)
	held := eval[int](p, `(window.openGate(), window.held)`)
	p.wait(fmt.Sprintf(`window.answered >= %d`, held))
	p.frame()
}

// backAtOnce calls do, which requests a position. It goes back in the history before the response, then releases the
// requests for both positions.
func (p *page) backAtOnce(do func()) {
	p.t.Helper()
	p.hold("api/position")
	do()
	p.wait(`window.held > 0`)
	eval[bool](p, `(history.back(), true)`)
	p.wait(`window.held > 1`)
	p.release()
}

// A user leaves the page before the server answers a move. The answer changes neither the page nor its address.
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
		t.Error("a player thinks without a game")
	}
}

// A user opens two addresses in quick succession. The page shows the later one, even if the server answers its
// request first.
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
	p.wait(`document.querySelector('select[id=opinion-0]')?.value === 'uct'`) // this page's player
}

// A user starts a new game and goes back at once. The page shows the earlier board, and no player starts.
func TestNewGameAnsweredLate(t *testing.T) {
	p := open(t, serve(t, nil), "#/play?game=tictactoe&first=person&second=person", desk)
	p.do(followLink("#/play?game=connect4&moves=44&first=random&second=random"))
	p.find("gridcell", "column 4, row 2, yellow, last move")
	p.backAtOnce(func() { p.click("button", "New game") })
	p.find("gridcell", "b2, empty")
	if n := p.asked("api/analysis"); n > 0 {
		t.Error("a player thinks before the game has begun")
	}
	eval[bool](p, `(history.forward(), true)`)
	p.find("gridcell", "column 4, row 2, yellow, last move")
}

// A user chooses another board to analyse and goes back at once. The page shows the earlier board and its players.
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

// A user moves while an address loads. The page stays at the board and its players. Back then opens the address.
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

// A link to an unknown game leaves the board as it was, and its analysis continues.
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

// A move without an answer does not block moves in another game.
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

// The page does not watch a run whose answer arrives after the user has left the run's page.
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
		t.Errorf("%d streams watch the hidden run", n)
	}
	if err := training.Close(); err != nil {
		t.Error(err)
	}
}

// A run's training ends while the user is on another page. The Runs page then shows that it has ended.
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
	p.wait(`document.querySelector('.run .badge')`)
	p.find("heading", "Games of tiny") // the details have loaded
	p.click("link", "Play")
	p.find("gridcell", "b2, empty")
	eval[bool](p, `(window.training = false, true)`)
	p.click("link", "Runs")
	p.wait(`document.querySelector('.run') && !document.querySelector('.run .badge')`)
}

// The page ignores a second move until the server has answered the first, in analysis too.
func TestSecondMoveTooSoon(t *testing.T) {
	p := open(t, serve(t, nil), "#/analyse?game=connect4&by=random", desk)
	p.hold("api/position")
	p.press("4")
	p.press("5")
	p.release()
	p.wait(`location.hash.includes('moves=4&')`)
	if n := eval[int](p, `document.querySelectorAll('.moves .pair .move').length`); n != 1 {
		t.Errorf("there are %d moves", n)
	}
}

// stones is the number of stones on the board.
const stones = `document.querySelectorAll('[role=gridcell]:not([aria-label$=empty])').length`

// Taking back a move before its answer arrives removes only that move.
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

// Two take-backs in quick succession both count.
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

// A move removes the hint for the position before it, even if the hint arrives before the answer to the move.
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
		t.Error("the page still shows the earlier position's hint")
	}
}

// The side that resigns while its move is on the way loses.
func TestResignTooSoon(t *testing.T) {
	p := open(t, serve(t, nil), "#/play?game=tictactoe&moves=a1b1&first=person&second=person", desk)
	p.hold("api/position")
	p.click("gridcell", "b2, empty")
	p.wait(`window.held > 0`)
	p.click("button", "Resign")
	p.click("button", "Yes, resign")
	p.release()
	p.see("X resigned: O wins")
}

// A key without effect does not stop the opponent's answer.
func TestKeyAtTheStart(t *testing.T) {
	p := open(t, serve(t, nil), "#/play?game=connect4&first=person&second=random", desk)
	p.hold("api/position")
	p.press("4")
	p.wait(`window.held > 0`)
	p.press(kb.ArrowLeft)
	p.release()
	p.hear("Yellow: ")
}

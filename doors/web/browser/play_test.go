package browser

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"tengen/doors/web"
	"tengen/players"
	"tengen/run/runtest"
)

// standing is the text that describes the game's state.
const standing = `document.querySelector('main .standing').innerText`

// noted is true if the address has as many moves as the board has stones.
const noted = `(() => {
	const moves = new URLSearchParams(location.hash.split('?')[1]).get('moves') || '';
	const stones = document.querySelectorAll('[role=gridcell]:not([aria-label$=empty])').length;
	return (moves.match(/[a-z]\d+|\d/g) || []).length === stones;
})()`

// A user plays against the random player with the mouse. On a 4×4 board with three in a row, the first side can
// always win.
func TestWonByMouse(t *testing.T) {
	const game = "mnk:4,4,3"
	s := serve(t, nil)
	p := open(t, s, "#/play?game="+game, desk)
	p.choose("O", "random")
	p.click("button", "New game")
	for over := false; !over; {
		p.wait(noted)
		move := s.best(t, game, p.address().Get("moves"))
		p.click("gridcell", move+", empty")
		p.wait(fmt.Sprintf(`document.querySelector('[aria-label^="%s, X"]') && /wins|X to move/.test(%s)`, move, standing))
		over = strings.Contains(eval[string](p, standing), "wins")
	}
	p.see("X wins")
	p.hear("The game is over: X wins.")
	if n := eval[int](p, `document.querySelectorAll('[role=gridcell][aria-label*="winning line"]').length`); n < 3 {
		t.Errorf("%d cells of the winning line are named, want 3 or more", n)
	}
	if n := eval[int](p, `document.querySelectorAll('.drawing .won').length`); n == 0 {
		t.Error("the winning line is not drawn")
	}
}

// Two users play Connect Four by the number keys, then step through their game and take a move back.
func TestWonByKeyboard(t *testing.T) {
	p := open(t, serve(t, nil), "#/play?game=connect4&first=person&second=person", desk)
	for i, column := range strings.Split("1212121", "") {
		p.press(column)
		p.hear([]string{"Red", "Yellow"}[i%2] + ": " + column + ".")
	}
	p.see("Red wins")
	p.press("1") // the game is over
	p.press(kb.ArrowLeft)
	p.see("Red to move")
	p.press(kb.Home)
	p.hear("The board is empty.")
	p.press(kb.End)
	p.see("Red wins")
	p.press("u")
	p.see("Red to move")
	p.press("7") // a second variation
	p.hear("Red: 7. Yellow to move.")
	p.press(kb.ArrowUp)
	p.see("Red wins")
	p.wait(`location.hash.includes('moves=1212121&')`)
	p.press("?")
	p.find("dialog", "Keys")
	p.press(kb.Escape)
	p.wait(`!document.querySelector('dialog')`)
}

// Arrow keys and Enter play moves on the grid, as for users of screen readers.
func TestCellsByKeyboard(t *testing.T) {
	p := open(t, serve(t, nil), "#/play?game=tictactoe&first=person&second=person", desk)
	p.wait(`(document.querySelector('[role=gridcell][tabindex="0"]').focus(), true)`)
	for _, step := range []struct{ keys, said string }{
		{kb.Enter, "X: b2."}, {kb.ArrowUp + kb.Enter, "O: b3."}, {kb.ArrowLeft + kb.Enter, "X: a3."},
		{kb.ArrowDown + kb.Enter, "O: a2."}, {kb.ArrowDown + kb.ArrowRight + kb.ArrowRight + kb.Enter, "The game is over: X wins."},
	} {
		p.press(step.keys)
		p.hear(step.said)
	}
}

// After the opponent's move, the keyboard focus is still on the user's last cell.
func TestKeyboardKeepsItsCell(t *testing.T) {
	p := open(t, serve(t, nil), "#/play?game=connect4&first=person&second=random", desk)
	p.wait(`(document.querySelector('[role=gridcell][tabindex="0"]').focus(), true)`)
	p.press(kb.Enter)
	p.see("Red to move")
	p.wait(`new URLSearchParams(location.hash.split('?')[1]).get('moves')?.length === 2`)
	p.press(kb.Enter)
	p.wait(`/^4.4/.test(new URLSearchParams(location.hash.split('?')[1]).get('moves'))`)
}

// After a swap, a player whose turn it is moves.
func TestSwappedSides(t *testing.T) {
	p := open(t, serve(t, nil), "#/play?game=connect4&first=person&second=random", desk)
	p.click("button", "New game")
	p.click("button", "Swap sides")
	p.hear("Red: ")
	if first := p.address().Get("first"); first != "random" {
		t.Errorf("%q moves first", first)
	}
}

// A player whose turn it is moves without a click: after a swap on a new page, and on a page opened by a link.
func TestPlayerBegins(t *testing.T) {
	s := serve(t, nil)
	p := open(t, s, "#/play?game=connect4&first=person&second=random", desk)
	p.click("button", "Swap sides")
	p.hear("Red: ")
	p.visit("#/play?game=connect4&first=random&second=person")
	p.hear("Red: ")
	p.visit("#/play?game=connect4&moves=4&first=person&second=random")
	p.hear("Yellow: ")
}

// The sides keep their players when the game changes. The first opponent replaces one that cannot play the new game.
func TestSeatsSurviveChangeOfGame(t *testing.T) {
	p := open(t, serve(t, nil), "#/play?game=connect4", desk)
	p.click("button", "Swap sides")
	p.hear("Red: ")
	for _, game := range []string{"gomoku", "connect4"} {
		p.wait(`(document.querySelector('.setup').open = true)`)
		p.choose("Board", game)
		p.wait(fmt.Sprintf(`location.hash.includes('game=%s')`, game))
		p.wait(noted)
		if first, second := p.address().Get("first"), p.address().Get("second"); first == "person" || second != "person" {
			t.Errorf("%s is played by %q and %q", game, first, second)
		}
	}
	p.hear("Red: ")
}

// The page states the rules, offers levels, and explains its terms at a tap.
func TestExplains(t *testing.T) {
	s := serve(t, nil)
	p := open(t, s, "#/play?game=connect4&first=person&second=random", desk)
	p.see("Four or more in a row, horizontally, vertically or diagonally, win.")
	p.choose("Yellow", "easy")
	p.wait(`location.hash.includes('second=uct~50s')`)
	p.wait(`document.querySelector('#seat-second').value === 'easy'`)
	p.see("You")

	p = open(t, s, "#/analyse?game=tictactoe&by=uct~100s", phone)
	p.see("With perfect play: a draw") // the last thing to arrive, and it moves the table
	p.tap("button", "Prior")
	p.see("The share that the network gives the move before any search.")
	p.click("link", "About")
	p.find("heading", "About tengen")
	p.see("100 points more win about 64 of 100 games")
}

// On a phone, gomoku has small cells, so the page asks to confirm each move.
func TestWonByTouch(t *testing.T) {
	p := open(t, serve(t, nil), "#/play?game=gomoku&first=person&second=person", phone)
	p.wait(boxed)
	for i, move := range strings.Fields("h8 h9 i8 i9 j8 j9 k8 k9 l8") {
		p.tap("gridcell", move+", empty")
		p.find("alertdialog", "Confirm the move")
		if got := p.address().Get("moves"); strings.Contains(got, move) {
			t.Errorf("%s is played before it was confirmed: %s", move, got)
		}
		p.tap("button", "Play")
		p.hear([]string{"Black", "White"}[i%2] + ": " + move + ".")
	}
	p.see("Black wins")
}

// Cancelling does not play the move. A board with large cells needs no confirmation.
func TestTouchIsAsked(t *testing.T) {
	p := open(t, serve(t, nil), "#/play?game=gomoku&first=person&second=person", phone)
	p.tap("gridcell", "a1, empty")
	p.tap("button", "Cancel")
	p.wait(`!document.querySelector('[role=alertdialog]')`)
	p.visit("#/play?game=tictactoe&first=person&second=person")
	p.tap("gridcell", "a1, empty")
	p.hear("X: a1.")
}

// Two players finish a game without a click.
func TestTwoPlayers(t *testing.T) {
	uct, err := players.ParseSpec("uct:50")
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, func(o *web.Options) { o.Players = []players.Spec{uct} })
	p := open(t, s, "#/play?game=connect4&first=uct~50s&second=random", desk)
	p.wait(`document.querySelector('main .standing.ended') && ` + noted)
	moves := p.address().Get("moves")
	var position struct {
		Over   bool
		Winner string
	}
	s.get(t, "position?game=connect4&moves="+moves, &position)
	if !position.Over {
		t.Errorf("the page says that the game is over after %s", moves)
	}
	p.see(map[string]string{"first": "Red wins", "second": "Yellow wins", "draw": "A draw"}[position.Winner])
}

// The page shows a hint, and a resigned game as lost.
func TestHintAndResign(t *testing.T) {
	p := open(t, serve(t, nil), "#/play?game=tictactoe&moves=a1b1&first=person&second=person", desk)
	p.click("button", "Hint")
	p.see("would play")
	p.click("button", "Resign")
	p.click("button", "Yes, resign")
	p.see("X resigned: O wins")
}

// The first opponent can be beaten. The page advises and analyses with a player that has learned, not with a run that has just begun.
// Where the solver knows the result, the hint is the solver's.
func TestStrongPlayers(t *testing.T) {
	c := runtest.Config()
	c.Game = "connect4"
	dir := filepath.Join(t.TempDir(), "new")
	if err := runtest.Train(t, c, dir, nil).Close(); err != nil {
		t.Fatal(err)
	}
	p := open(t, serve(t, func(o *web.Options) { o.Runs = []string{dir} }), "#/play?game=connect4", desk)
	p.find("gridcell", "column 4, row 1, empty")
	if second := p.address().Get("second"); second != "uct~1600s" {
		t.Errorf("the opponent is %s", second)
	}
	p.visit("#/play?game=connect4&moves=44444326555&first=new&second=person")
	p.click("button", "Hint")
	p.see("The solver would play 3, win")
	p.click("link", "Analyse")
	p.wait(`document.querySelector('select[id=opinion-0]')?.value === 'connect4'`)
}

// The question whether to play a move hides neither the move nor its surroundings, has the focus, and Esc means no.
func TestQuestionHidesNothing(t *testing.T) {
	p := open(t, serve(t, nil), "#/play?game=mnk:20,20,5&first=person&second=person", phone)
	for _, move := range []string{"i1", "i20"} {
		p.tap("gridcell", move+", empty")
		p.find("alertdialog", "Confirm the move")
		if gap := eval[float64](p, fmt.Sprintf(`(() => {
			const [cell, question] = ['[aria-label="%s, empty"]', '[role=alertdialog]'].map((s) => document.querySelector(s).getBoundingClientRect());
			return Math.max(cell.top - question.bottom, question.top - cell.bottom) / cell.height;
		})()`, move)); gap < 3 {
			t.Errorf("the question is %.1f cells away from %s", gap, move)
		}
		p.wait(`document.activeElement.closest('[role=alertdialog]')`)
		p.press(kb.Escape)
		p.wait(`!document.querySelector('[role=alertdialog]')`)
	}
}

// The board stays in view while the panels beside it scroll.
func TestBoardStaysInView(t *testing.T) {
	s := serve(t, nil)
	low := desk
	low.height = 560
	for _, hash := range []string{"#/play?game=connect4&moves=443&first=person&second=person", "#/analyse?game=connect4&moves=443&by=uct~50s"} {
		p := open(t, s, hash, low)
		p.find("gridcell", "column 3, row 1, red, last move")
		eval[bool](p, `(document.querySelectorAll('details').forEach((d) => { d.open = true; }), scrollTo(0, document.body.scrollHeight), true)`)
		p.wait(`scrollY > 100`)
		p.wait(`(() => {
			const { top, bottom } = document.querySelector('.board').getBoundingClientRect();
			return top >= 0 && bottom <= innerHeight;
		})()`)
	}
}

// Choosing an earlier move in the list stops the players.
func TestLookingBackStopsPlayers(t *testing.T) {
	p := open(t, serve(t, nil), "#/play?game=connect4&moves=44&first=uct~60000ms&second=random", desk)
	p.click("button", "Let the players continue")
	p.find("button", "Stop the players")
	p.click("button", "Start")
	p.hear("The board is empty.")
	p.find("button", "Let the players continue")
	p.wait(`location.hash.includes('at=0&')`)
}

package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// The mouse plays a user's game. Pointing at a cell marks it, and cells and moves are announced to screen readers.
func TestPilesByMouse(t *testing.T) {
	p := open(t, serve(t, nil), "#/play?game=nim:1,3&first=person&second=person", desk)
	p.hear("No move yet.")
	p.point("gridcell", "column 2, row 1, |, move 2:1")
	p.wait(`document.querySelectorAll('.drawing .picked').length === 1`)
	p.click("gridcell", "column 2, row 1, |, move 2:1")
	p.hear("Blue: 2:1. Orange to move.")
	p.find("gridcell", "column 2, row 1, empty, last move")
	if got := p.address().Get("moves"); got != "2:1" {
		t.Errorf("the address has the moves %q", got)
	}
	p.click("gridcell", "column 1, row 0, |, move 1:0")
	p.wait(`location.hash.includes('2:1+1:0')`)
	p.click("gridcell", "column 2, row 0, |, move 2:0")
	p.see("Blue wins")
	p.visit("#/analyse?game=nim:1,3&moves=" + strings.ReplaceAll(p.address().Get("moves"), " ", "+"))
	p.see("Blue wins")
}

// Taps take the numbers of a board, which keep their places and get the sides' colours.
func TestNumbersByTouch(t *testing.T) {
	p := open(t, serve(t, nil), "#/play?game=numbers&first=person&second=person", phone)
	for _, tap := range []struct{ cell, said string }{
		{"column a, row 3, 1, move 1", "Blue: 1."}, {"column b, row 2, 5, move 5", "Orange: 5."}, {"column b, row 3, 2, move 2", "Blue: 2."},
		{"column a, row 2, 4, move 4", "Orange: 4."}, {"column c, row 3, 3, move 3", "The game is over: blue wins."},
	} {
		p.tap("gridcell", tap.cell)
		p.hear(tap.said)
	}
	p.see("Blue wins")
	if board := p.board(); !strings.Contains(board, "4, orange") || !strings.Contains(board, "1, blue") {
		t.Errorf("the cells are called\n%s", board)
	}
}

// A user sets up a game that is not in the list by its name.
func TestGameByName(t *testing.T) {
	p := open(t, serve(t, nil), "#/play?game=tictactoe&first=person&second=person", desk)
	p.choose("Board", "another")
	p.click("textbox", "Or a name")
	p.press("nim:2,2")
	p.click("button", "Set up")
	p.find("gridcell", "column 2, row 1, |, move 2:1")
	p.wait(`location.hash.includes('game=nim:2,2')`)
}

// A user chooses a board of another size by the numbers in its name.
func TestGameByNumbers(t *testing.T) {
	p := open(t, serve(t, nil), "#/play?game=tictactoe"+alone, desk)
	p.choose("Board", "another")
	p.choose("Kind", "breakthrough")
	p.click("spinbutton", "Columns")
	p.press(kb.Backspace + "4")
	p.click("button", "Set up")
	p.find("gridcell", "d2, black, movable piece")
	p.wait(`location.hash.includes('game=breakthrough:4,8')`)
}

// Arrow keys and Enter choose a number. The page names moves by their number.
func TestNumbersByKeyboard(t *testing.T) {
	p := open(t, serve(t, nil), "#/analyse?game=numbers&by=uct~50s", desk)
	p.see("With perfect play")
	p.wait(`(document.querySelector('[role=gridcell][tabindex="0"]').focus(), true)`)
	p.press(kb.Home + kb.ArrowRight + kb.Enter)
	p.hear("Blue: 5.")
	p.find("gridcell", "column b, row 2, 5, blue, last move")
	p.see("With perfect play: a draw by playing 1, 3")
}

// Lines join points. Keyboard, mouse and screen reader leave out the cell that is none.
func TestPoints(t *testing.T) {
	p := open(t, serve(t, nil), "#/play?game=ring"+alone, desk)
	p.wait(count(".star", 8) + "&&" + count(".open-cell", 0) + `&& document.querySelectorAll('[role=gridcell]').length === 8`)
	p.wait(`(document.querySelector('[role=gridcell][tabindex="0"]').focus(), true)`) // a3, because b2 is none
	for _, step := range []struct{ keys, said string }{
		{kb.Enter, "Black: a3."}, {kb.ArrowDown + kb.ArrowRight + kb.Enter, "White: c2."}, {kb.ArrowUp + kb.ArrowLeft + kb.Enter, "Black: b3."},
		{kb.ArrowDown + kb.Enter, "White: a2."}, {kb.End + kb.ArrowDown + kb.Home + kb.Enter, "Black: a1."},
	} {
		p.press(step.keys)
		p.hear(step.said)
	}
	p.wait(`(document.querySelectorAll('.cells .row')[1].children[1].click(), !document.querySelector('.refused'))`)
}

// A game can have flips and passes. Clicks on cells play moves. A forced pass is played by itself, and taken back with the move before it.
// Where a link leads before one, a button passes.
func TestOthelloByMouse(t *testing.T) {
	p := open(t, serve(t, nil), "#/play?game=othello:6&first=person&second=person", desk)
	p.hear("No move yet.")
	cells := strings.Fields("e4 c5 b6 c6 b5 a4 b2 a6")
	for i, cell := range cells {
		p.click("gridcell", cell+", empty, legal")
		p.find("gridcell", cell+[]string{", black", ", white"}[i%2]+", last move")
	}
	p.hear("White: a6, 1 cell changed. Black: pass. White to move.")
	p.see("Black passed. White to move")
	p.find("gridcell", "b6, white, changed by the last move") // the pass leaves the marks
	p.wait(count(".changed.second", 1))
	if got := p.address().Get("moves"); got != strings.Join(cells, " ")+" pass" {
		t.Errorf("the address has the moves %q", got)
	}
	p.click("button", "Take back")
	p.find("gridcell", "b2, black, last move")

	p.visit("#/play?game=othello:6&moves=" + passes + alone)
	p.hear("White: a6, 1 cell changed. Black to move. No other move than pass is legal.")
	p.see("Black has no move")
	p.click("gridcell", "a1, empty")
	p.hear("The only legal move is pass.")
	p.wait(`document.querySelector('.refused')`)
	controls := eval[float64](p, `document.querySelector('.controls').getBoundingClientRect().top`)
	p.wait(`(document.querySelector('.standing .button.primary').focus(), true)`)
	p.press(kb.Enter)
	p.see("Black passed. White to move")
	p.wait(`document.activeElement.matches('[role=gridcell]')`) // the button is gone
	if now := eval[float64](p, `document.querySelector('.controls').getBoundingClientRect().top`); now != controls {
		t.Errorf("the pass moved the controls from %v to %v", controls, now)
	}
}

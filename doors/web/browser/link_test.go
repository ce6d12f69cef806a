package browser

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// A link and a reload show the same position. Back takes a move back.
func TestLink(t *testing.T) {
	s := serve(t, nil)
	p := open(t, s, "#/play?game=connect4&first=person&second=person", desk)
	p.press("4")
	p.hear("Red: 4.")
	p.press("4")
	p.hear("Yellow: 4.")
	p.press("3")
	p.wait(`location.hash.includes('moves=443')`)
	link := eval[string](p, `location.hash`)
	board := p.board()

	friend := open(t, s, link, phone)
	if got := friend.board(); got != board {
		t.Errorf("a friend sees\n%s\nnot\n%s", got, board)
	}
	p.reload()
	if got := p.board(); got != board {
		t.Errorf("after a reload\n%s\nnot\n%s", got, board)
	}
	p.see("Yellow to move")
	eval[bool](p, `(history.back(), true)`)
	p.see("Red to move")
	p.wait(`location.hash.includes('moves=443&at=2')`) // the moves stay in the address
}

// A link to a position within a game includes the later moves.
func TestLinkIntoGame(t *testing.T) {
	p := open(t, serve(t, nil), "#/analyse?game=tictactoe&moves=a1b2c3&at=1&by=random", desk)
	p.find("gridcell", "a1, X, last move")
	p.find("gridcell", "b2, empty")
	p.click("button", "To the end")
	p.find("gridcell", "c3, X, last move")
}

// A link to an unknown game or an illegal move shows a message.
func TestWrongLink(t *testing.T) {
	p := open(t, serve(t, nil), "#/play?game=tictactoe", desk)
	p.forgive("status of 400")
	p.do(followLink("#/play?game=tictactoe&moves=a1a1"))
	p.see("is not legal here")
	p.click("button", "Close the message")
	p.do(followLink("#/play?game=chess"))
	p.see("chess")
	p.click("button", "Close the message")
	p.do(followLink("#/play?game=tictactoe&moves=a1&resigned=nobody&line=&first=person&second=person"))
	p.see("O to move")
}

// Pasted moves replace the game. The link to Analyse keeps the game's moves.
func TestPaste(t *testing.T) {
	p := open(t, serve(t, nil), "#/play?game=connect4&first=person&second=person", desk)
	p.click("textbox", "Position")
	p.press("44353\r")
	p.hear("Red: 3.")
	p.wait(`location.hash.includes('moves=44353')`)
	p.click("link", "Analyse this game")
	p.wait(`location.hash.startsWith('#/analyse') && location.hash.includes('moves=44353')`)
	p.see("Candidates")
}

// Choosing a move in the list or the graph changes the address.
func TestLinkToChosenMove(t *testing.T) {
	p := open(t, serve(t, nil), "#/analyse?game=tictactoe&moves=a1b2c3&by=random", desk)
	p.click("button", "a1")
	p.wait(`location.hash.includes('at=1&')`)
	p.wait(`(document.querySelector('[role=slider]').focus(), true)`)
	p.press(kb.Home)
	p.wait(`location.hash.includes('at=0&')`)
}

// If the browser forbids copying, the page shows the text to copy.
func TestCopyForbidden(t *testing.T) {
	p := open(t, serve(t, nil), "#/play?game=tictactoe&first=person&second=person&moves=a1", desk)
	eval[bool](p, `(Object.defineProperty(navigator, 'clipboard', { value: undefined }), document.execCommand = () => false, true)`)
	p.click("button", "Copy all moves")
	p.see("The browser does not let the page copy. The moves: a1")
	p.click("button", "Close the message")
}

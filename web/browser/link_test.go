package browser

import (
	"testing"
)

// A link shows the same position to somebody else, and so does a reload; back takes a move back.
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
	p.wait(`location.hash.includes('moves=443&at=2')`) // what was played stays there to go on to
}

// A link to a place within a game has the moves that follow, too.
func TestLinkIntoGame(t *testing.T) {
	p := open(t, serve(t, nil), "#/analyse?game=tictactoe&moves=a1b2c3&at=1&by=random", desk)
	p.find("gridcell", "a1, X, last move")
	p.find("gridcell", "b2, empty")
	p.click("button", "To the end")
	p.find("gridcell", "c3, X, last move")
}

// A game or moves that do not exist are told of in words.
func TestWrongLink(t *testing.T) {
	p := open(t, serve(t, nil), "#/play?game=tictactoe", desk)
	p.forgive("status of 400")
	p.do(followLink("#/play?game=tictactoe&moves=a1a1"))
	p.see("illegal")
	p.click("button", "Close the message")
	p.do(followLink("#/play?game=chess"))
	p.see("chess")
	p.click("button", "Close the message")
}

// Moves are pasted, and a game goes from one page to another.
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

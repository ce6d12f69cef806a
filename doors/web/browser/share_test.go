package browser

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// listed is the text of the list of moves without marks, in one line.
const listed = `document.querySelector('.moves').innerText.replace(/[\s?!]+/g, ' ').trim()`

// The moves of a game whose notation needs spaces stay apart in the field, in links and after a reload.
func TestMovesStayApart(t *testing.T) {
	p := open(t, serve(t, nil), "#/play?game=othello:6&moves=e4+c5&first=person&second=person", desk)
	board := p.board()
	p.wait(`document.querySelector('input[name=moves]').value === 'e4 c5'`)
	p.reload()
	if got := p.board(); got != board {
		t.Errorf("after a reload\n%s\nnot\n%s", got, board)
	}
	p.click("link", "Analyse this game")
	p.see("Candidates")
	if got := p.board(); got != board {
		t.Errorf("the analysis shows\n%s\nnot\n%s", got, board)
	}
}

// The field reads moves with commas and numbers. It says what is wrong, until that has been mended.
func TestUsualNotations(t *testing.T) {
	p := open(t, serve(t, nil), "#/play?game=connect4&first=person&second=person", desk)
	p.forgive("status of 400")
	p.forgive("the page shows an error: ")
	for _, test := range []struct{ text, moves string }{{"4,4,3,5,3", "44353"}, {"1. 1 2 2. 3 5?!", "1235"}, {"7\n6\n5\n", "765"}} {
		eval[bool](p, fmt.Sprintf(`(() => {
			const field = document.querySelector('input[name=moves]');
			const data = new DataTransfer();
			data.setData('text', %s);
			field.value = '';
			if (field.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, cancelable: true }))) field.value = %[1]s;
			field.form.requestSubmit();
			return true;
		})()`, quote(test.text)))
		p.wait(fmt.Sprintf(`location.hash.includes('moves=%s&')`, test.moves))
	}
	p.click("textbox", "Position")
	p.press(kb.End + "99\r")
	p.wait(`document.querySelector('.share [role=alert]')?.innerText.includes('"9"')`)
	p.click("gridcell", "column 4, row 1, empty")
	p.wait(`location.hash.includes('moves=7654&') && !document.querySelector('[role=alert]')`)
	p.do(followLink("#/play?game=connect4&moves=99&first=person&second=person"))
	p.wait(`document.querySelector('.trouble')`)
	p.press("1")
	p.wait(`location.hash.includes('moves=76541&') && !document.querySelector('[role=alert]')`)
}

// A file that the page has saved opens when it is dropped on the page or chosen, with its game and its end.
func TestFileOpens(t *testing.T) {
	p := open(t, serve(t, nil), "#/play?game=tictactoe&first=person&second=person", desk)
	p.forgive("status of 400") // the file of another size
	drop := func(name, text string) {
		eval[bool](p, fmt.Sprintf(`(() => {
			const data = new DataTransfer();
			data.items.add(new File([%s], %s));
			return !document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
		})()`, quote(text), quote(name)))
	}
	drop("gomoku.sgf", "(;FF[4]CA[UTF-8]AP[tengen]GM[4]GN[gomoku]SZ[15]RE[B+R]\n;B[hh];W[ha])\n")
	p.find("gridcell", "h15, white, last move")
	p.see("White resigned: black wins")
	drop("gomoku.sgf", "(;FF[4]CA[UTF-8]AP[tengen]GM[4]GN[gomoku]SZ[15]RE[W+R]\n;B[hh];W[ha])\n")
	p.see("Black resigned: white wins")
	drop("other.sgf", "(;SZ[19];B[aa])")
	p.wait(`document.querySelector('.share [role=alert]')?.innerText.includes('a board of 19×19')`)
	p.find("button", "Open file")
	drop("moves.txt", "h8\na15\n")
	p.find("gridcell", "a15, white, last move")
}

// A file's variations are all on the page, and in the file that the page gives back, at whatever move the board is. A text of another
// game begins a new one.
func TestVariationsInFiles(t *testing.T) {
	p := open(t, serve(t, nil), "#/play?game=gomoku&moves=a1&first=person&second=person", desk)
	eval[bool](p, `(() => {
		const data = new DataTransfer();
		data.items.add(new File(['(;GM[4]SZ[15];B[hh];W[ig](;B[hg])(;B[jj];W[aa]))'], 'two.sgf'));
		return !document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
	})()`)
	p.find("gridcell", "h9, black, last move")
	p.see("j6")
	if old := eval[string](p, listed); strings.Contains(old, "a1 ") {
		t.Errorf("the game before is still there: %s", old)
	}
	p.press(kb.Home)
	p.hear("The board is empty.")
	file := eval[string](p, `new Promise((resolve) => {
		URL.createObjectURL = (blob) => { blob.text().then(resolve); return '#'; };
		[...document.querySelectorAll('button')].find((b) => b.innerText === 'Download game').click();
	})`)
	if !strings.Contains(file, ";B[hh];W[ig](;B[hg])(;B[jj];W[aa])") {
		t.Errorf("the file is %s", file)
	}
}

// A reload and a link have all variations.
func TestVariationsAreKept(t *testing.T) {
	s := serve(t, nil)
	p := open(t, s, "#/analyse?game=connect4&moves=44352&by=random", desk)
	p.press(kb.ArrowLeft)
	p.wait(`location.hash.includes('at=4&')`)
	p.press(kb.ArrowLeft)
	p.wait(`location.hash.includes('at=3&')`)
	p.press("7")
	p.wait(`location.hash.includes('moves=4437&')`)
	p.press(kb.ArrowLeft)
	p.wait(`location.hash.includes('at=3&')`)
	p.press("6")
	p.wait(`location.hash.includes('moves=4436&')`)
	before := eval[string](p, listed)
	if lines := p.address()["line"]; !slices.Equal(lines, []string{"44352", "4437", "4436"}) {
		t.Errorf("the address has the lines %v", lines)
	}
	p.reload()
	p.find("gridcell", "column 6, row 1, yellow, last move")
	if got := eval[string](p, listed); got != before {
		t.Errorf("after a reload, the moves are %q, not %q", got, before)
	}
	p.click("link", "Play")
	p.see("Red to move")
	p.press(kb.ArrowUp)
	p.find("gridcell", "column 7, row 1, yellow, last move")
	p.press(kb.ArrowUp)
	p.find("gridcell", "column 5, row 1, yellow, last move")
}

// A player is asked before it resigns. A resigned game stays so, until the resignation is taken back.
func TestResignationIsKept(t *testing.T) {
	p := open(t, serve(t, nil), "#/play?game=tictactoe&moves=a1b1&first=person&second=person", desk)
	p.click("button", "Resign")
	p.click("button", "No, play on")
	p.wait(`!document.querySelector('[role=alertdialog]')`)
	p.see("X to move")
	p.click("button", "Resign")
	p.click("button", "Yes, resign")
	p.see("X resigned: O wins")
	p.reload()
	p.see("X resigned: O wins")
	p.click("link", "Analyse this game")
	p.see("Candidates")
	p.click("link", "Play")
	p.see("X resigned: O wins")
	p.click("button", "Take back")
	p.see("X to move")
	if moves := p.address().Get("moves"); moves != "a1 b1" {
		t.Errorf("the moves are %q", moves)
	}
	p.click("gridcell", "c3, empty")
	p.hear("X: c3.")
}

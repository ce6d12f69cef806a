package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// alone ends the address of a game without players.
const alone = "&first=person&second=person"

// count is true if the board's drawing has n elements of a selector.
func count(selector string, n int) string {
	return fmt.Sprintf(`document.querySelectorAll('.drawing :is(%s)').length === %d`, selector, n)
}

// The mouse selects a piece and then its target. The page marks and announces both.
func TestPiecesByMouse(t *testing.T) {
	p := open(t, serve(t, nil), "#/play?game=march:3,5"+alone, desk)
	p.click("gridcell", "b2, P, black, movable piece")
	p.hear("b2 selected. Targets: a3, b3, c3.")
	p.wait(count(".ring.selected", 1) + "&&" + count(".target", 3))
	p.click("gridcell", "a2, P, black, movable piece") // another piece
	p.hear("a2 selected.")
	p.click("gridcell", "a2, P, black, selected")
	p.hear("a2 let go.")
	p.wait(count(".ring.selected", 0))
	p.click("gridcell", "b2, P, black, movable piece")
	p.press(kb.Escape)
	p.hear("b2 let go.")
	p.click("gridcell", "b2, P, black, movable piece")
	p.point("gridcell", "b3, empty, target of b2b3")
	p.wait(`document.querySelector('.drawing .preview .kind')?.textContent === 'P'`)
	p.click("gridcell", "b3, empty, target of b2b3")
	p.hear("Black: b2b3. White to move.")
	p.wait(count(".ring.selected, .target", 0) + "&&" + count(".last.from", 1))
	p.find("gridcell", "b2, empty, the last move began here")
	p.find("gridcell", "b3, P, black, last move")
}

// Enter selects and plays on the grid, and Escape lets go.
func TestPiecesByKeyboard(t *testing.T) {
	p := open(t, serve(t, nil), "#/play?game=march:3,5&moves=a2a3+c4c3"+alone, desk)
	p.wait(`(document.querySelector('[role=gridcell][tabindex="0"]').focus(), true)`) // c3
	for _, step := range []struct{ keys, said string }{
		{kb.ArrowDown + kb.ArrowLeft + kb.Enter, "b2 selected. Targets: b3, c3."},
		{kb.Escape, "b2 let go."},
		{kb.Enter, "b2 selected."},
		{kb.ArrowUp + kb.Enter, "Black: b2b3. White to move."},
		{kb.ArrowLeft + kb.ArrowUp + kb.Enter, "a4 selected. Target: b3."},
		{kb.ArrowDown + kb.ArrowRight + kb.Enter, "White: a4b3, 1 cell changed. Black to move."},
	} {
		p.press(step.keys)
		p.hear(step.said)
	}
	p.find("gridcell", "b3, P, white, last move, changed by the last move")
	p.wait(count(".changed", 1))
	p.see("Black to move")
	if label := eval[string](p, `document.querySelector('[role=grid]').ariaLabel`); !strings.HasSuffix(label, "black 5, white 6") {
		t.Errorf("the board is called %q", label)
	}
}

// If several moves go from one cell to another, the page asks which.
func TestPieceIsPromoted(t *testing.T) {
	p := open(t, serve(t, nil), "#/play?game=march:3,5&moves=b2b3+a4a3+b3a4+c4c3"+alone, desk)
	const onto = "b5, P, white, target of a4b5Q or a4b5N"
	p.click("gridcell", "a4, P, black, movable piece")
	p.wait(count(".target.held", 1))
	p.click("gridcell", onto)
	p.find("alertdialog", "Choose the move")
	p.press(kb.Escape)
	p.wait(`!document.querySelector('[role=alertdialog]')`)
	p.click("gridcell", onto)
	p.click("button", "knight")
	p.hear("Black: a4b5N, 1 cell changed. The game is over: black wins.")
	p.find("gridcell", "b5, N, black, last move, changed by the last move")
}

// A finger on small cells selects a piece at once, but has to confirm the move.
func TestPiecesByTouch(t *testing.T) {
	narrow := phone
	narrow.width = 240
	p := open(t, serve(t, nil), "#/play?game=march:8,5"+alone, narrow)
	p.wait(boxed)
	p.tap("gridcell", "b2, P, black, movable piece")
	p.hear("b2 selected.")
	p.tap("gridcell", "b3, empty, target of b2b3")
	p.find("alertdialog", "Confirm the move")
	p.tap("button", "Cancel")
	p.find("gridcell", "b2, P, black, selected")
	p.tap("gridcell", "b3, empty, target of b2b3")
	p.tap("button", "Play")
	p.hear("Black: b2b3.")
}

// Hints, candidates, the truth and the line under the pointer are arrows.
func TestArrows(t *testing.T) {
	p := open(t, serve(t, nil), "#/play?game=march:3,5&moves=b2b3+a4a3"+alone, desk)
	p.click("button", "Hint")
	p.wait(count("path.mark-arrow.hint", 1))
	p.visit("#/analyse?game=march:3,5&moves=b2b3+a4a3&by=uct~2000s")
	p.wait(`document.querySelectorAll('.drawing .candidate path').length > 2 && document.querySelectorAll('.drawing .truth path').length > 0`)
	p.wait(`(document.querySelector('table.candidates .move').focus(), true)`)
	p.wait(`(() => {
		const steps = [...document.querySelectorAll('.drawing .step:has(path)')].map((e) => e.textContent);
		return steps.length > 1 && steps.every((text, i) => text === String(i + 1));
	})()`)
}

// A text on a free cell can be read on wood in both themes, where pieces are played and where they are analysed. The ring of the last
// move is seen on it.
func TestTextsOnFreeCells(t *testing.T) {
	s := serve(t, nil)
	for _, theme := range []string{"light", "dark"} {
		on := desk
		on.theme = theme
		p := open(t, s, "#/play?game=shots:4,3,4"+alone, on)
		p.click("gridcell", "b2, empty")
		p.find("gridcell", "b2, #, last move")
		for _, page := range []string{"#/play?game=shots:4,3,4&moves=b2+c3" + alone, "#/analyse?game=shots:4,3,4&moves=b2+c3&by=uct~50s"} {
			p.visit(page)
			p.wait(`[...document.querySelectorAll('.look-wood .drawing .kind')].map((e) => e.textContent).join() === '#,#'`)
			for selector, part := range map[string]string{".drawing .kind": "fill", ".drawing .last": "stroke"} {
				if c := eval[float64](p, fmt.Sprintf(contrast, quote(selector), part)); c < 4.5 {
					t.Errorf("%s, %s: %s has a contrast of %.1f to the wood", theme, page, selector, c)
				}
			}
		}
	}
}

// A tally that is longer than the board is wrapped, also on a phone. The board has the same size when the game has nothing to tally.
func TestTally(t *testing.T) {
	s := serve(t, nil)
	for _, on := range []screen{desk, phone} {
		for _, page := range []string{"#/play?game=shots:4,3,4" + alone, "#/analyse?game=shots:4,3,4&by=uct~50s"} {
			const size = `JSON.stringify(['width', 'height'].map((side) => document.querySelector('.cells').getBoundingClientRect()[side]))`
			p := open(t, s, page, on)
			p.wait(`document.querySelector('.tally')?.textContent === ''`)
			empty := eval[string](p, size)
			p.click("gridcell", "b2, empty")
			p.wait(`document.querySelector('.tally').textContent === 'white shoots at a free cell with one more arrow'`)
			p.wait(boxed)
			if full := eval[string](p, size); full != empty {
				t.Errorf("%s: the cells take %s pixels, without a tally %s", page, full, empty)
			}
			if cut := eval[string](p, `(() => {
				const words = document.createRange();
				words.selectNodeContents(document.querySelector('.tally'));
				const [text, board] = [words, document.querySelector('.board')].map((e) => e.getBoundingClientRect());
				return text.left < board.left || text.right > board.right || text.bottom > board.bottom ? JSON.stringify([text, board]) : '';
			})()`); cut != "" {
				t.Errorf("%s: the tally leaves the board: %s", page, cut)
			}
		}
	}
}

// contrast is the contrast of a colour of an element to its board's, as WCAG defines it, from 1 to 21.
const contrast = `(() => {
	const light = (color) => {
		const [r, g, b] = (color.match(/[\d.]+/g) ?? [0, 0, 0]).slice(0, 3).map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
		return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
	};
	const e = document.querySelector(%s), style = getComputedStyle(e);
	if (style.%[2]s === 'none') return 1;
	const [one, other] = [style.%[2]s, getComputedStyle(e.closest('.board')).backgroundColor].map(light);
	return Math.max(one / other, other / one);
})()`

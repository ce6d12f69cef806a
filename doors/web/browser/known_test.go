package browser

// What players know from other boards: what one may do is marked and said, the own side is below, moves stand beside the board, a game is
// reviewed.

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"tengen/engine"
)

// Othello marks the cells where one may play, for eyes and for ears. A click elsewhere says why nothing happens.
func TestLegalCellsAreMarked(t *testing.T) {
	s := serve(t, nil)
	p := open(t, s, "#/play?game=othello"+alone, desk)
	p.find("gridcell", "d3, empty, legal")
	p.wait(count(".open-cell", 4))
	p.click("gridcell", "a1, empty")
	p.hear("A1 is not legal.")
	p.wait(`document.querySelector('.refused').innerText === 'A1 is not legal.'`)
	p.click("gridcell", "d3, empty, legal")
	p.wait(`!document.querySelector('.refused')`)
	p.visit("#/play?game=gomoku&moves=h8" + alone) // each free cell is legal
	p.find("gridcell", "h9, empty")
	p.wait(count(".open-cell", 0))
	p.click("gridcell", "h8, black, last move")
	p.hear("H8 is taken.")
	p.visit("#/play?game=breakthrough" + alone)
	p.click("gridcell", "d2, black, movable piece")
	p.click("gridcell", "d5, empty")
	p.hear("D2 cannot go to d5.")
	p.visit("#/play?game=connect4&first=uct~60000ms&second=person")
	p.find("button", "Stop the players")
	p.click("gridcell", "column 1, row 1, empty")
	p.hear("Red is to move: wait for uct.")
}

// passes are moves of Othello on 6x6 after which Black has no move.
const passes = "e4c5b6c6b5a4b2a6"

// The page says that the opponent had to pass, though the board shows nothing of it, and the result with its score. The title says whose
// turn it is.
func TestPassesAndScoresAreSaid(t *testing.T) {
	s := serve(t, nil)
	p := open(t, s, "#/play?game=othello:6&moves="+passes+"&first=random&second=person", desk)
	p.see("Black passed. White to move")
	p.wait(`document.title === 'Your turn – Othello on 6×6 – tengen'`)
	p.visit("#/play?game=othello:6&moves=" + passes + "&first=person&second=random")
	p.see("You have no move")
	end, first, second := played(t, "othello:6", 100)
	score := fmt.Sprintf("%d to %d", max(first, second), min(first, second))
	p.visit("#/play?game=othello:6&moves=" + end + alone)
	p.wait(fmt.Sprintf(`/(Black wins|White wins|A draw), %s/.test(%s)`, score, standing))
}

// played returns some legal moves of a game, at most so many, and how many cells each side holds after them.
func played(t *testing.T, name string, most int) (moves string, first, second int) {
	t.Helper()
	e, err := engine.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	p := e.Start()
	for i := 0; i < most && !p.Over; i++ {
		if p, err = p.Play(p.Legal[(7*i+3)%len(p.Legal)]); err != nil {
			t.Fatal(err)
		}
	}
	for _, side := range p.Cells {
		first, second = first+int(max(side, 0)), second+int(max(-side, 0))
	}
	return strings.ReplaceAll(p.Notation(), " ", "+"), first, second
}

// What plays alpha-beta has a value and a proof for its best move, and no column of dashes.
func TestAlphaBetaAnswers(t *testing.T) {
	p := open(t, serve(t, nil), "#/analyse?game=connect4&moves=44444326555&by=alphabeta~8d", desk)
	p.wait(`document.querySelector('.candidates tbody tr')?.innerText.match(/^3\s[^]*win/)`)
	p.wait(`document.querySelector('.drawing .candidate.best')?.textContent === 'win'`)
	p.wait(`![...document.querySelectorAll('.candidates th')].some((e) => e.innerText === 'Visits')`)
}

// Of the moves of pieces, the best three are arrows, with figures that do not cover each other.
func TestArrowsCanBeRead(t *testing.T) {
	p := open(t, serve(t, nil), "#/analyse?game=breakthrough&moves=d2d3+e7e6+d3d4+e6e5&by=breakthrough~400s", desk)
	p.wait(simulations + ` >= 400 && document.querySelectorAll('.drawing .candidate path').length === 3`)
	if covered := eval[int](p, `(() => {
		const boxes = [...document.querySelectorAll('.drawing .candidate rect')].map((e) => e.getBoundingClientRect());
		return boxes.filter((a, i) => boxes.some((b, j) => i < j && a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)).length;
	})()`); covered > 0 {
		t.Errorf("%d figures lie under others", covered)
	}
}

// The best lines stand in words, and a tap on a move plays the line to it, also on a phone.
func TestLinesInWords(t *testing.T) {
	p := open(t, serve(t, nil), "#/analyse?game=connect4&moves=4455&by=uct~400s", phone)
	p.wait(simulations + ` >= 400 && document.querySelectorAll('.lines li').length === 3`)
	line := eval[[]string](p, `[...document.querySelectorAll('.lines li:first-child .move')].map((e) => e.innerText).slice(0, 2)`)
	p.wait(`(document.querySelectorAll('.lines li:first-child .move')[1].click(), true)`)
	p.wait(fmt.Sprintf(`new URLSearchParams(location.hash.split('?')[1]).get('moves') === %s`, quote("4455"+strings.Join(line, ""))))
}

// The person's side is below, with the board turned where pieces move. A key turns it, and keys and clicks still find their cells.
func TestOwnSideIsBelow(t *testing.T) {
	p := open(t, serve(t, nil), "#/play?game=breakthrough&moves=d2d3&first=uct~60000ms&second=person", desk)
	const below = `document.querySelector('.player.below').innerText`
	p.wait(below + `.startsWith('You')`)
	above := func(one, other string) {
		t.Helper()
		p.wait(fmt.Sprintf(`(() => {
			const top = (name) => document.querySelector('[aria-label^="' + name + ',"]').getBoundingClientRect().top;
			return top(%s) < top(%s);
		})()`, quote(one), quote(other)))
	}
	above("a1", "a8")
	p.click("gridcell", "e7, white, movable piece")
	p.click("gridcell", "e6, empty, target of e7e6")
	p.hear("White: e7e6.")
	p.click("button", "Stop the players")
	p.press("f")
	above("a8", "a1")
	p.wait("!" + below + `.startsWith('You')`)
	p.press("f")
	p.click("button", "Take back")
	p.wait(`(document.querySelector('[aria-label^="e7,"]').focus(), true)`)
	p.press(kb.Enter)
	p.hear("e7 selected.")
	p.press(kb.ArrowUp) // towards White's goal
	p.wait(`document.activeElement.ariaLabel.startsWith('e6,')`)
	p.visit("#/play?game=connect4&first=random&second=person") // discs do not fall up
	p.wait(below + `.startsWith('You')`)
	above("column 1, row 6", "column 1, row 1")
}

// A piece is dragged to its target. Dropped elsewhere, it goes back.
func TestPieceIsDragged(t *testing.T) {
	p := open(t, serve(t, nil), "#/play?game=breakthrough"+alone, desk)
	drag := func(from, to string) {
		t.Helper()
		x, y := p.middle(p.find("gridcell", from))
		p.do(chromedp.MouseEvent(chromedp.MouseMoved, x, y), chromedp.MouseEvent(chromedp.MousePressed, x, y, chromedp.ButtonLeft),
			chromedp.MouseEvent(chromedp.MouseMoved, x+20, y, chromedp.ButtonLeft))
		p.wait(`document.querySelector('.drawing .dragged')`)
		x, y = p.middle(p.find("gridcell", to))
		p.do(chromedp.MouseEvent(chromedp.MouseMoved, x, y, chromedp.ButtonLeft), chromedp.MouseEvent(chromedp.MouseReleased, x, y, chromedp.ButtonLeft))
		p.wait(`!document.querySelector('.drawing .dragged')`)
	}
	drag("d2, black, movable piece", "d5, empty")
	p.hear("D2 cannot go to d5.")
	drag("d2, black, movable piece", "e3, empty, target of d2e3")
	p.hear("Black: d2e3.")
	p.click("gridcell", "d7, white, movable piece") // a click still selects
	p.hear("d7 selected.")
}

// Once a game has begun, its settings are one line. After its end, an easier and a harder opponent are offered.
func TestSettingsFoldAndLevelsFollow(t *testing.T) {
	p := open(t, serve(t, nil), "#/play?game=connect4", desk)
	p.wait(`document.querySelector('.setup').open`)
	p.click("gridcell", "column 4, row 1, empty")
	p.wait(`!document.querySelector('.setup').open`)
	p.see("Connect Four, You – uct")
	p.visit("#/play?game=connect4&moves=121212&first=person&second=uct~1600s")
	p.press("1")
	p.see("Red wins")
	p.click("button", "Harder")
	p.wait(`new URLSearchParams(location.hash.split('?')[1]).get('second') === 'connect4~1600s'`)
	p.wait(`!document.querySelector('.ended')`)
}

// A report marks mistakes and better moves on the board, counts them for each side, outlives a reload, and asks for a better move.
func TestReportOfGame(t *testing.T) {
	p := open(t, serve(t, nil), "#/analyse?game=tictactoe&moves=a1b1b2c1&by=solver", desk)
	p.click("button", "Find mistakes")
	p.see("X: 0 mistakes, 0 weak moves. O: 1 mistake")
	p.wait(`location.hash.includes('mistakes=')`)
	p.reload()
	p.see("X: 0 mistakes, 0 weak moves. O: 1 mistake")
	p.press("m")
	p.wait(count(".ring.played", 1) + "&&" + count(".ring.better", 1))
	p.see("turns a draw into a loss")
	p.click("button", "Try again at move 1, b1")
	p.see("Find a better move than b1")
	p.wait(count(".candidate, .ring", 0))
	p.click("gridcell", "a2, empty")
	p.hear("a2 is not the best move. Try again.")
	p.click("gridcell", "b2, empty")
	p.hear("b2 is right.")
	p.find("gridcell", "b2, O, last move")
}

// On a desk and on a phone, the board, the controls, the last ten moves and the best line are in the window at once, in the middle and at
// the end of every game.
func TestEverythingFits(t *testing.T) {
	s := serve(t, nil)
	for _, on := range []screen{{1280, 800, false, "light", 1}, {390, 844, true, "light", 1}} {
		p := blank(t, s, on)
		for _, name := range engine.Boards() {
			for _, most := range []int{12, 1000} {
				moves, _, _ := played(t, name, most)
				for _, page := range []string{"#/play?game=" + name + "&moves=" + moves + alone, "#/analyse?game=" + name + "&by=uct~50s&moves=" + moves} {
					p.visit(page)
					p.wait(`document.querySelector('.moves .move.here') && (document.querySelector('.playing, .ended') || ` + simulations + ` >= 50)`)
					p.frame()
					if faults := eval[[]string](p, `(() => {
						const inside = (e, box) => {
							const r = e.getBoundingClientRect();
							return r.top >= box.top - 1 && r.bottom <= box.bottom + 1 && r.left >= box.left - 1 && r.right <= box.right + 1;
						};
						const view = { top: 0, left: 0, bottom: innerHeight, right: innerWidth };
						const faults = ['.board, .text-board', '.controls', '.lines li'].filter((s) => [...document.querySelectorAll(s)].slice(0, 1).some((e) => !inside(e, view)));
						const list = document.querySelector('.moves').getBoundingClientRect();
						const last = [...document.querySelectorAll('.moves .pair .move')].slice(-10);
						if (last.some((e) => !inside(e, view) || !inside(e, list))) faults.push('the last moves');
						return faults;
					})()`); len(faults) > 0 {
						t.Errorf("%d by %d, %s: outside are %q", on.width, on.height, page, faults)
					}
				}
			}
		}
	}
}

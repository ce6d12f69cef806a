package browser

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/chromedp/cdproto/emulation"

	"tengen/doors/web"
	"tengen/run/runtest"
)

// The page follows the system's theme until the user chooses one. It remembers the choice.
func TestDarkMode(t *testing.T) {
	night := desk
	night.theme = "dark"
	p := open(t, serve(t, nil), "#/play?game=tictactoe", night)
	p.wait(brightness + ` < 80`)
	p.click("button", "Light theme")
	p.wait(brightness + ` > 180`)
	p.reload()
	p.wait(brightness + ` > 180`)
	p.click("button", "Dark theme")
	p.wait(brightness + ` < 80`)

	day := open(t, serve(t, nil), "#/play?game=tictactoe", desk)
	day.wait(brightness + ` > 180`)
	day.media("dark")
	day.wait(brightness + ` < 80`)
}

// brightness is the brightness of the page's background, from 0 to 255.
const brightness = `(() => {
	const parts = getComputedStyle(document.body).backgroundColor.match(/[\d.]+/g).slice(0, 3).map(Number);
	return Math.max(...parts);
})()`

// opened opens every section of the page.
const opened = `(document.querySelectorAll('details:not([open]) > summary').forEach((s) => s.click()), true)`

// views are the pages to check, each with a condition that is true once the page is complete.
var views = []struct{ name, hash, ready string }{
	{"play", "#/play?game=connect4&moves=444432&first=person&second=person", standing + `.includes('to move')`},
	{"question", "#/play?game=connect4&moves=44&first=person&second=person", `(() => {
		const asked = document.querySelector('[role=alertdialog]');
		if (!asked) [...document.querySelectorAll('.controls .button')].find((b) => b.innerText === 'Resign')?.click();
		return asked;
	})()`},
	{"analyse", "#/analyse?game=connect4&moves=444432&by=uct~400s", simulations + ` >= 400 && document.querySelector('.truth')`},
	{"report", "#/analyse?game=tictactoe&moves=a1b1b2c1&at=1&by=solver&mistakes=2+2+b2+draw+loss", `document.querySelector('.mistakes li') && document.querySelector('.ring.better')`},
	{"pass", "#/play?game=othello:6&moves=" + passes + "&first=person&second=uct~50s", standing + `.includes('no move')`},
	{"piles", "#/analyse?game=nim:1,3,5,7&moves=2:1+4:5&by=uct~400s", simulations + ` >= 400 && document.querySelector('.truth')`},
	{"points", "#/play?game=ring&moves=a3+c2&first=person&second=person", standing + `.includes('to move')`},
	{"numbers", "#/play?game=numbers&moves=3+5&first=person&second=person", standing + `.includes('to move')`},
	{"pieces", "#/play?game=breakthrough:6,6&moves=b2b3+c5c4+b3c4&first=person&second=person", `(() => {
		if (!document.querySelector('.ring.selected')) document.querySelector('[aria-label^="d5, white, movable"]')?.click();
		return document.querySelector('.target.held');
	})()`},
	{"about", "#/about", `document.querySelectorAll('.terms').length === 2`},
	{"iterations", "#/analyse?game=tictactoe&by=uct~50s", opened + ` && document.querySelectorAll('.likely').length === 9`},
	{"runs", "#/runs", opened + ` && ` + drawn + ` && document.querySelector('.newest-game .board') &&
		document.querySelector('.calibrated') && document.querySelector('.games tbody')`},
}

// axe-core (Deque Systems, MPL-2.0) finds no accessibility problem on the pages.
func TestAccessibility(t *testing.T) {
	axe := readAxe(t)
	s := serve(t, func(o *web.Options) { o.Runs = []string{runtest.Run(t)} })
	for _, view := range views {
		for _, theme := range []string{"light", "dark"} {
			t.Run(view.name+"/"+theme, func(t *testing.T) {
				on := desk
				on.theme = theme
				p := open(t, s, view.hash, on)
				p.wait(view.ready)
				eval[any](p, axe+`; null`)
				rules := `resultTypes: ['violations']`
				if theme == "dark" { // changes only colours
					rules = `runOnly: ['color-contrast', 'link-in-text-block']`
				}
				p.violates(`{ ` + rules + ` }`)
				p.media(theme, &emulation.MediaFeature{Name: "prefers-contrast", Value: "more"})
				p.wait(`matchMedia('(prefers-contrast: more)').matches`)
				p.frame()
				p.violates(`{ runOnly: ['color-contrast-enhanced'] }`)
			})
		}
	}
}

// axe-core finds no problem on the page that a link to an unknown game shows.
func TestAccessibleTrouble(t *testing.T) {
	p := open(t, serve(t, nil), "#/play?game=chess", desk)
	p.forgive("status of 400")
	p.see("Set up a new board")
	eval[any](p, readAxe(t)+`; null`)
	p.violates(`{ resultTypes: ['violations'] }`)
	p.click("button", "Close the message")
}

// violates fails the test for each problem that axe-core finds. The page must have loaded axe-core.
func (p *page) violates(options string) {
	p.t.Helper()
	for _, v := range eval[[]violation](p, `axe.run(`+options+`).then((r) => r.violations.map(
		(v) => ({ id: v.id, help: v.help, nodes: v.nodes.map((n) => n.html.slice(0, 160) + ' ' + n.failureSummary) })))`) {
		p.t.Errorf("%s: %s", v.ID, v.Help)
		for _, n := range v.Nodes {
			p.t.Log(n)
		}
	}
}

// violation is an axe-core rule and the elements that break it.
type violation struct {
	ID, Help string
	Nodes    []string
}

// Forced colours remove backgrounds. Pressed buttons, the current page, stones and bars must still stand out.
func TestForcedColours(t *testing.T) {
	s := serve(t, func(o *web.Options) { o.Runs = []string{runtest.Run(t)} })
	p := blank(t, s, desk)
	p.media("light", &emulation.MediaFeature{Name: "forced-colors", Value: "active"})
	differ := func(one, other string) {
		t.Helper()
		p.wait(fmt.Sprintf(`(() => {
			const ground = (e) => e && getComputedStyle(e).backgroundColor + getComputedStyle(e).backgroundImage;
			const [one, other] = [%s, %s].map((s) => ground(document.querySelector(s)));
			return one && other && one !== other;
		})()`, quote(one), quote(other)))
	}
	p.visit("#/play?game=connect4&moves=44&first=person&second=person")
	differ(".head nav a[aria-current]", ".head nav a:not([aria-current])")
	differ(".chip.first", ".chip.second")
	differ(".move.here", ".move:not(.here)")
	p.visit("#/analyse?game=connect4&moves=44&by=uct~400s")
	differ(".card-head [aria-pressed=true]", ".card-head [aria-pressed=false]")
	if ink := eval[string](p, `getComputedStyle(document.querySelector('.head nav a[aria-current]')).color`); ink == eval[string](p, `getComputedStyle(document.querySelector('.head nav a')).color`) {
		t.Errorf("the name of the current page has the colour of the others, %s, on the highlight", ink)
	}
	differ(".evaluation i", ".evaluation")
	differ(".share-bar i", ".share-bar")
	p.visit("#/runs")
	differ(".segments [aria-pressed=true]", ".segments [aria-pressed=false]")
	differ(".progress i", ".progress")
}

// With reduced motion, the page shows everything at once.
func TestNothingMoves(t *testing.T) {
	p := open(t, serve(t, nil), "#/play?game=connect4&moves=4455663&first=person&second=person", desk)
	p.see("Red wins")
	if n := eval[int](p, `document.getAnimations().filter((a) => a.effect.getComputedTiming().endTime > 1).length`); n > 0 {
		t.Errorf("%d animations run", n)
	}
}

// axeSum is the SHA-256 of npm's axe.min.js 4.14.1.
const axeSum = "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c"

// readAxe returns the source of axe-core from testdata.
func readAxe(t *testing.T) string {
	t.Helper()
	packed, err := os.ReadFile("testdata/axe.min.js.gz")
	if err != nil {
		t.Fatal(err)
	}
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	source, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(source); hex.EncodeToString(sum[:]) != axeSum {
		t.Fatalf("testdata/axe.min.js.gz is not axe-core 4.14.1: SHA-256 %x", sum)
	}
	return string(source)
}

// boxed is true if the page does not scroll sideways.
const boxed = `document.documentElement.scrollWidth <= innerWidth`

// No page is wider than its screen, from a small phone to a wide monitor. Charts take a moment to adapt.
func TestWidths(t *testing.T) {
	s := serve(t, func(o *web.Options) { o.Runs = []string{runtest.Run(t)} })
	for _, view := range views {
		p := open(t, s, view.hash, phone)
		p.wait(view.ready)
		for _, width := range []int64{320, 375, 768, 1280, 1920} {
			on := phone
			on.width, on.touch = width, width < 768
			p.use(on)
			p.wait(fmt.Sprintf(`innerWidth === %d`, width))
			p.wait(boxed)
		}
	}
}

// A larger screen shows a larger board.
func TestBoardGrows(t *testing.T) {
	s := serve(t, nil)
	for _, hash := range []string{"#/play?game=gomoku&first=person&second=person", "#/analyse?game=connect4&moves=44&by=random"} {
		p := open(t, s, hash, desk)
		before := 0.0
		for _, size := range [][2]int64{{1400, 900}, {1920, 1080}, {2560, 1300}, {3440, 1440}, {3840, 2160}} {
			on := desk
			on.width, on.height = size[0], size[1]
			p.use(on)
			p.wait(fmt.Sprintf(`innerWidth === %d`, on.width))
			p.frame()
			width := eval[float64](p, `document.querySelector('.board').getBoundingClientRect().width`)
			if width <= before {
				t.Errorf("%s: on %d by %d pixels the board is %.0f wide, on the screen before %.0f", hash, on.width, on.height, width, before)
			}
			before = width
			p.wait(boxed)
		}
	}
}

package browser

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// The table has the best move of each opinion, and no move that no opinion considers.
func TestTableHasBestOfEach(t *testing.T) {
	p := open(t, serve(t, nil), "#/analyse?game=gomoku&moves=h8i9h9h10g9&by=gomoku~100s&by=uct~900s", desk)
	const best = `document.querySelector('.verdict .standing').innerText.match(/move: (\w+)/)[1]`
	p.wait(simulations + ` >= 100`)
	found := []string{eval[string](p, best)}
	eval[bool](p, `(document.querySelectorAll('.opinion [type=radio]')[1].click(), true)`)
	p.wait(simulations + ` >= 900`)
	found = append(found, eval[string](p, best))
	rows := eval[[][]string](p, `[...document.querySelectorAll('.candidates tbody tr')].map((r) => [...r.children].map((c) => c.innerText.trim()))`)
	if len(rows) < 8 {
		t.Errorf("the table has only %v", rows)
	}
	for _, move := range found {
		if !slices.ContainsFunc(rows, func(row []string) bool { return row[0] == move }) {
			t.Errorf("%s is best for a player, but not among %v", move, rows)
		}
	}
	p.visit("#/analyse?game=gomoku&moves=h8i9h9h10g9&by=gomoku~100s")
	p.wait(simulations + ` >= 100`)
	if empty := eval[string](p, `[...document.querySelectorAll('.candidates tbody tr')].map((r) => r.innerText).find((text) => /\t0\t0\.0/.test(text)) || ''`); empty != "" {
		t.Errorf("a row says nothing: %q", empty)
	}
}

// Three opinions fit beside the board. On a phone, a shadow shows that the table scrolls. Players without a network have no column for
// its policy.
func TestThreeOpinionsFit(t *testing.T) {
	p := open(t, serve(t, nil), "#/analyse?game=connect4&moves=4444432&by=connect4~100s&by=uct~200s&by=alphabeta~2d", desk)
	p.wait(`document.querySelectorAll('.opinion-name').length === 3 && document.querySelector('.candidates .tag') && ` + simulations + ` >= 100`)
	const scroller = `document.querySelector('.candidates').parentNode`
	for _, width := range []int64{1280, 1920} {
		on := desk
		on.width = width
		p.use(on)
		p.wait(fmt.Sprintf(`innerWidth === %d`, width))
		p.wait(scroller + `.scrollWidth <= ` + scroller + `.clientWidth`)
	}
	p.use(phone)
	p.wait(`innerWidth === 375`)
	p.wait(scroller + `.scrollWidth > ` + scroller + `.clientWidth && getComputedStyle(` + scroller + `).backgroundImage.includes('gradient')`)
	p.click("button", "Raw policy")
	p.wait(`!document.querySelector('.opinion-name') && /\t\d+\.\d\s%/.test(document.querySelector('.candidates tbody').innerText)`)
}

// A player without a network has no priors, and one with a network has.
func TestPriors(t *testing.T) {
	p := open(t, serve(t, nil), "#/analyse?game=connect4&moves=444&by=uct~50s", desk)
	const prior = `document.querySelector('.candidates tbody tr').lastElementChild.innerText`
	p.wait(simulations + ` >= 50 && ` + prior + ` === '–'`)
	p.visit("#/analyse?game=connect4&moves=444&by=connect4~50s")
	p.wait(simulations + ` >= 50 && ` + prior + `.includes('%')`)
}

// The headline, the first row of the table, the bar and the graph have one value. Each says for whom it is.
func TestOneValue(t *testing.T) {
	p := open(t, serve(t, nil), "#/analyse?game=connect4&moves=444&by=connect4~300s", desk)
	p.wait(simulations + ` >= 300`)
	values := eval[[]string](p, `[
		document.querySelector('.verdict .standing').innerText.match(/Yellow to move: \d, ([+−±][\d.]+)/)?.[1],
		document.querySelector('.candidates tbody .worth').innerText,
		document.querySelector('.evaluation').innerText.match(/Red\s+([+−±][\d.]+)/)?.[1],
		document.querySelector('.graph').ariaValueText.match(/value ([+−±][\d.]+) for red/)?.[1],
	].map((v) => v ?? 'missing')`)
	turned := strings.NewReplacer("+", "−", "−", "+").Replace(values[0])
	if values[1] != values[0] || values[2] != turned || values[3] != turned {
		t.Errorf("headline, table, bar, graph: %v", values)
	}
	p.see("Values are for yellow.")
}

// A colour has one meaning in the table and on the board: the best move is green, and a move that gives everything away is grey. None
// is red, in which a bad move looked like a red disc, and figures have no round ground.
func TestOneMeaningOfColour(t *testing.T) {
	p := open(t, serve(t, nil), "#/analyse?game=connect4&moves=44444326555&by=uct~900s", desk)
	p.wait(simulations + ` >= 900 && document.querySelector('.drawing .candidate .worth')`)
	wrong := eval[[]string](p, `(() => {
		const hue = (color) => {
			const [r, g] = color.match(/[\d.]+/g).map(Number);
			return r > 1.15 * g ? 'red' : g > 1.15 * r ? 'green' : 'grey';
		};
		const rows = [...document.querySelectorAll('.candidates .worth')].map((e) => [e.innerText, hue(getComputedStyle(e).color)]);
		const board = [...document.querySelectorAll('.drawing .candidate')].map((e) => [e.textContent, hue(getComputedStyle(e.querySelector('rect')).fill)]);
		if (document.querySelector('.drawing .candidate circle')) return ['a round figure'];
		if (rows[0][1] !== 'green' || board.at(-1)[1] !== 'green') return ['the best is not green', ...rows[0], ...board.at(-1)];
		const seen = new Set([...rows, ...board].map(([, color]) => color));
		return seen.has('red') || !seen.has('grey') ? ['colours', ...seen] : [];
	})()`)
	if len(wrong) > 0 {
		t.Errorf("wrong colours: %v", wrong)
	}
}

// Letters on a large board are as large as on others. Only the best three moves have figures, so that these can be read.
func TestLargeBoardCanBeRead(t *testing.T) {
	p := open(t, serve(t, nil), "#/analyse?game=mnk:20,20,5&moves=k10l10k11&by=uct~900s", desk)
	p.wait(simulations + ` >= 900 && document.querySelector('.candidate.best .worth')`)
	for _, on := range []screen{desk, {width: 390, height: 844, touch: true, theme: "light", scale: 1}} {
		p.use(on)
		p.wait(fmt.Sprintf(`innerWidth === %d`, on.width))
		p.frame()
		for selector, least := range map[string]float64{".drawing .label": 10, ".drawing .worth": 9} {
			size := eval[float64](p, fmt.Sprintf(`(() => {
				const text = document.querySelector(%s);
				return parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a;
			})()`, quote(selector)))
			if size < least {
				t.Errorf("on %d pixels, %s is %.1f pixels high, want %.0f", on.width, selector, size, least)
			}
		}
	}
	if n := eval[int](p, `document.querySelectorAll('.candidate .worth').length`); n != 3 {
		t.Errorf("%d candidates have figures", n)
	}
	if font := eval[string](p, `getComputedStyle(document.querySelector('.drawing .label')).fontFamily`); !strings.Contains(font, "monospace") {
		t.Errorf("l, i and 1 may look alike in %s", font)
	}
}

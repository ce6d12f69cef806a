package browser

import (
	"fmt"
	"math"
	"net/url"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"tengen/doors/web"
	"tengen/net"
	"tengen/players"
	"tengen/players/playertest"
)

// A user takes a stone of a search with the mouse and passes, and so does the search, which is ahead. Then the page shows
// the areas and the score.
func TestGoByMouse(t *testing.T) {
	s := serve(t, func(o *web.Options) { o.Players = []players.Spec{playertest.Spec(t, "uct:300")} })
	p := open(t, s, "#/play?game=go&moves=e5+a1+b1+j9&first=person&second=uct~300s", desk)
	p.wait(count(".grid-lines", 1) + "&&" + count(".star", 5) + "&&" + count(".area", 0))
	p.click("gridcell", "a2, empty")
	const ended = `document.querySelector('.standing.ended')`
	for moves := 6; !eval[bool](p, `!!`+ended); moves += 2 { // after White's answer
		p.wait(fmt.Sprintf(`new URLSearchParams(location.hash.split('?')[1]).get('moves').split(' ').length === %d`, moves))
		p.click("button", "Pass")
		p.wait(ended + ` || !document.querySelector('[aria-label="Other moves"]')`)
		p.wait(ended + ` || document.querySelector('[aria-label="Other moves"]')`)
	}
	p.wait(`/ pass pass$/.test(new URLSearchParams(location.hash.split('?')[1]).get('moves'))`)
	var position struct {
		Owners, Cells []int
		Margin        float64
	}
	s.get(t, "position?"+url.Values{"game": {"go"}, "moves": {p.address().Get("moves")}}.Encode(), &position)
	points, areas := [3]int{}, [3]int{}
	for cell, owner := range position.Owners {
		points[owner]++
		if position.Cells[cell] == 0 {
			areas[owner]++
		}
	}
	p.see(fmt.Sprintf("White wins by %v", math.Abs(position.Margin)))
	p.see(fmt.Sprintf("black %d, white %d + 7", points[1], points[2]))
	p.wait(count(".area.first", areas[1]) + "&&" + count(".area.second", areas[2]))
	p.find("gridcell", "a1, empty, area of black")
}

// The page says why a point is forbidden. Enter puts a stone, and Tab leads to the pass.
func TestGoByKeyboard(t *testing.T) {
	p := open(t, serve(t, nil), "#/play?game=go:7,0.5&moves=b1+d4+a2"+alone, desk)
	p.click("gridcell", "a1, empty")
	p.see("A stone on a1 leaves its stones without a liberty.")
	p.wait(count(".open-cell", 0))
	p.wait(`(document.querySelector('[role=gridcell][tabindex="0"]').focus(), true)`) // a2
	p.press(kb.ArrowUp + kb.Enter)
	p.hear("White: a3. Black to move.")
	p.press(kb.Tab + kb.Enter)
	p.hear("Black: pass. White to move.")
	p.see("Black passed. White to move")
	p.press(kb.Tab + kb.Enter)
	p.hear("The game is over: black wins by 0.5.")
}

// An analysis draws who will hold the cells: this model always thinks the side to move.
func TestOwnersAreDrawn(t *testing.T) {
	w := net.NewWeights(net.Default(), net.Shape{Height: 5, Width: 5, Actions: 26, Planes: 5, Named: 1}, 1)
	for _, p := range w.Params {
		if p.Name == "occupancy.out.bias" {
			p.Data[0] = 9
		}
	}
	path := filepath.Join(t.TempDir(), "owner")
	m := net.Model{Game: "go:5,4", Search: []byte(`{"simulations": 9, "root_policy_temperature": 1}`), Weights: w}
	if err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	s := serve(t, func(o *web.Options) { o.Players = []players.Spec{playertest.Spec(t, "net:"+path)} })
	p := open(t, s, "#/analyse?game=go:5,4&moves=c3+c2+b3&by=owner~9s", desk)
	p.see("white probably wins by 29.0")
	p.wait(count(".area.second", 24) + "&&" + count(".area.first", 0)) // not on White's stone
}

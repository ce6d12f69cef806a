package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"tengen/doors/web"
	"tengen/players"
	"tengen/players/playertest"
)

// A user plays Go against a player with the mouse: takes a stone, is refused a move, and passes. The page then shows the
// area and the score.
func TestGoByMouse(t *testing.T) {
	s := serve(t, func(o *web.Options) { o.Players = []players.Spec{playertest.Spec(t, "uct:50")} })
	p := open(t, s, "#/play?game=go&moves=e5+a1+b1+j9&first=person&second=uct~50s", desk)
	p.click("gridcell", "a2, empty")
	p.wait(`/^Black|White passed/.test(` + standing + `)`)
	_ = fmt.Sprint(strings.Fields(""), kb.Enter)
}

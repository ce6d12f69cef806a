package browser

import (
	"fmt"
	"strings"
	"testing"

	"tengen/doors/web"
	"tengen/players"
)

// offerEngine offers an external engine, which moves by a command of the shell.
func offerEngine(t *testing.T, name, move string) func(*web.Options) {
	t.Helper()
	spec, err := players.ParseSpec(`gtp:sh -c 'while read word rest; do case $word in genmove) ` + move + `;; *) echo =;; esac; echo; done'`)
	if err != nil {
		t.Fatal(err)
	}
	return func(o *web.Options) { o.Engines = append(o.Engines, web.Engine{Name: name, Spec: spec}) }
}

// A person plays against an external engine, which has no strength to set. Its analysis has a best move and no value.
func TestEngine(t *testing.T) {
	s := serve(t, offerEngine(t, "rising", "n=$((n+1)); echo = E$n"))
	p := open(t, s, "#/play?game=mnk:9,9,5&first=person&second=rising", desk)
	p.find("combobox", "White")
	if len(p.all("slider", "White: strength")) > 0 {
		t.Error("the page offers strengths")
	}
	for i, move := range []string{"a1", "b2", "c9"} {
		p.click("gridcell", move+", empty")
		p.wait(fmt.Sprintf(`document.querySelector('[aria-label^="e%d, white"]')`, i+1))
	}
	p.click("link", "Analyse this game")
	p.choose("Player", "rising")
	p.wait(`/^Black to move: e4$/.test(` + standing + `.trim())`)
	p.wait(`/^–\s+e4$/.test(document.querySelector('.lines li').innerText.trim())`)
	p.click("button", "Find mistakes")
	p.see("rising gives no values, so it finds no mistakes: choose another player.")
	if text := eval[string](p, `document.body.innerText`); strings.Contains(text, "NaN") || strings.Contains(text, "0.00") {
		t.Errorf("the page shows a value:\n%s", text)
	}
	p.visit("#/play?game=mnk:9,9,5") // without the message
}

// A program that resigns has lost. One with a fault moves again when the person lets it.
func TestEngineGivesUp(t *testing.T) {
	p := open(t, serve(t, offerEngine(t, "modest", "echo = resign")), "#/play?game=tictactoe&first=person&second=modest", desk)
	p.click("gridcell", "b2, empty")
	p.see("O resigned: X wins")
	p = open(t, serve(t, offerEngine(t, "broken", "exit 3")), "#/play?game=tictactoe&first=person&second=broken", desk)
	p.click("gridcell", "b2, empty")
	p.see("broken: it ended (exit status 3)")
	p.find("button", "Let the players continue")
	p.click("button", "Take back")
	p.wait(`!document.querySelector('[role=alert]')?.innerText`)
}

package browser

import (
	"fmt"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// find waits for an element with a role and an accessible name, and returns the first.
func (p *page) find(role, name string) cdp.BackendNodeID {
	p.t.Helper()
	until := time.Now().Add(patience)
	for {
		if found := p.all(role, name); len(found) > 0 {
			return found[0]
		}
		if time.Now().After(until) {
			p.t.Fatalf("there is no %s %q on\n%s", role, name, eval[string](p, `document.body.innerText`))
		}
		p.frame()
	}
}

// all returns the elements that now have a role and an accessible name.
func (p *page) all(role, name string) []cdp.BackendNodeID {
	p.t.Helper()
	root, err := chromedp.Run(p.ctx, chromedp.Evaluate[*runtime.RemoteObject](`document`))
	if err != nil {
		p.t.Fatalf("looking for %s %q: %v", role, name, err)
	}
	answer, err := chromedp.Call(p.ctx, accessibility.QueryAXTree, accessibility.QueryAXTreeParams{
		ObjectID: root.ObjectID, Role: role, AccessibleName: name,
	})
	if err != nil {
		p.t.Fatalf("looking for %s %q: %v", role, name, err)
	}
	var found []cdp.BackendNodeID
	for _, node := range answer.Nodes {
		if !node.Ignored {
			found = append(found, node.BackendDOMNodeID)
		}
	}
	return found
}

// middle scrolls to an element and returns the coordinates of its centre once they stop changing.
func (p *page) middle(id cdp.BackendNodeID) (x, y float64) {
	p.t.Helper()
	for before := [2]float64{-1, -1}; ; before = [2]float64{x, y} {
		if _, err := chromedp.Call(p.ctx, dom.ScrollIntoViewIfNeeded, dom.ScrollIntoViewIfNeededParams{BackendNodeID: id}); err != nil {
			p.t.Fatal(err)
		}
		answer, err := chromedp.Call(p.ctx, dom.GetContentQuads, dom.GetContentQuadsParams{BackendNodeID: id})
		if err != nil || len(answer.Quads) == 0 {
			p.t.Fatalf("the element is no longer on the page: %v", err)
		}
		q := answer.Quads[0]
		x, y = (q[0]+q[2]+q[4]+q[6])/4, (q[1]+q[3]+q[5]+q[7])/4
		if before == [2]float64{x, y} {
			return x, y
		}
		p.frame()
	}
}

// click clicks an element with the mouse.
func (p *page) click(role, name string) {
	p.t.Helper()
	x, y := p.middle(p.find(role, name))
	p.do(chromedp.MouseEvent(chromedp.MouseMoved, x, y), chromedp.MouseClickXY(x, y))
}

// tap taps an element.
func (p *page) tap(role, name string) {
	p.t.Helper()
	p.do(chromedp.TapXY(p.middle(p.find(role, name))))
}

// point moves the mouse to an element.
func (p *page) point(role, name string) {
	p.t.Helper()
	x, y := p.middle(p.find(role, name))
	p.do(chromedp.MouseEvent(chromedp.MouseMoved, x, y))
}

// press presses keys, one rune each. Package kb has runes for keys without a character.
func (p *page) press(keys string) {
	p.t.Helper()
	p.do(chromedp.KeyEvent(keys))
}

// choose selects the option with a value from the list with a name.
func (p *page) choose(name, value string) {
	p.t.Helper()
	node, err := chromedp.Call(p.ctx, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: p.find("combobox", name)})
	if err != nil {
		p.t.Fatal(err)
	}
	answer, err := chromedp.Call(p.ctx, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		ObjectID: node.Object.ObjectID,
		FunctionDeclaration: fmt.Sprintf(`function () {
			this.value = %s;
			this.dispatchEvent(new Event('change', { bubbles: true }));
			if (!this.value) throw new Error('there is no such option');
		}`, quote(value)),
	})
	if err != nil || answer.ExceptionDetails != nil {
		p.t.Fatalf("choosing %q of %q: %v %+v", value, name, err, answer.ExceptionDetails)
	}
}

// board returns the accessible names of the board's cells, one per line.
func (p *page) board() string {
	p.t.Helper()
	return eval[string](p, `[...document.querySelectorAll('[role=gridcell]')].map((e) => e.ariaLabel).join('\n')`)
}

// followLink changes the hash, as a click on a link does.
func followLink(hash string) chromedp.Action[chromedp.Void] {
	return chromedp.Evaluate[chromedp.Void](`location.hash = ` + quote(hash))
}

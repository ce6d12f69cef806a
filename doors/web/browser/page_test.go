package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// page is a tab with separate storage and cookies. Its methods fail the test if they fail.
type page struct {
	t      testing.TB
	ctx    context.Context
	origin string

	mu       sync.Mutex // guards the fields below; the browser's events change them
	faults   []string
	forgiven []string
	sent     []string // addresses of requests, without the origin
}

// screen describes the screen that shows a page.
type screen struct {
	width, height int64
	touch         bool   // for fingers, not a mouse
	theme         string // of the system: "light" or "dark"
	scale         float64
}

var (
	desk  = screen{width: 1280, height: 900, theme: "light", scale: 1}
	phone = screen{width: 375, height: 667, touch: true, theme: "light", scale: 1}
)

// open opens an address of a site, such as "#/play?game=connect4", and waits until the page has loaded.
func open(t testing.TB, s *site, hash string, on screen) *page {
	t.Helper()
	p := blank(t, s, on)
	p.visit(hash)
	return p
}

// blank returns an empty tab.
func blank(t testing.TB, s *site, on screen) *page {
	t.Helper()
	tab, closeTab := chromedp.NewContext(startChrome(t), chromedp.WithNewBrowserContext())
	ctx, cancel := context.WithTimeout(tab, 5*patience)
	p := &page{t: t, ctx: ctx, origin: s.url}
	t.Cleanup(func() {
		if !t.Failed() {
			p.blame()
		}
		cancel()
		closeTab()
	})
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("cannot open a tab: %v", err)
	}
	if err := chromedp.Listen(ctx, p.notice); err != nil {
		t.Fatal(err)
	}
	p.use(on)
	return p
}

// use changes the screen.
func (p *page) use(s screen) {
	p.t.Helper()
	options := []chromedp.EmulateViewportOption{chromedp.EmulateScale(s.scale)}
	if s.touch {
		options = append(options, chromedp.EmulateMobile, chromedp.EmulateTouch)
	}
	p.do(chromedp.EmulateViewport(s.width, s.height, options...))
	p.media(s.theme)
}

// media sets the features that style sheets query: the theme, reduced motion so that no animation affects a test,
// and more.
func (p *page) media(theme string, more ...*emulation.MediaFeature) {
	p.t.Helper()
	_, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: append(more,
		&emulation.MediaFeature{Name: "prefers-color-scheme", Value: theme},
		&emulation.MediaFeature{Name: "prefers-reduced-motion", Value: "reduce"},
	)})
	if err != nil {
		p.t.Fatal(err)
	}
}

// visit loads the page at an address.
func (p *page) visit(hash string) {
	p.t.Helper()
	p.do(chromedp.Navigate("about:blank"), chromedp.Navigate(p.origin+"/"+hash))
	p.wait(`document.querySelector("main h1, main h2, main .standing")`)
}

// reload reloads the page.
func (p *page) reload() {
	p.t.Helper()
	p.do(chromedp.Reload())
	p.wait(`document.querySelector("main h1, main h2, main .standing")`)
}

// do runs the driver's actions.
func (p *page) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, steps...); err != nil {
		p.t.Fatal(err)
	}
}

// eval returns the value of a JavaScript expression. It awaits promises.
func eval[T any](p *page, expression string) T {
	p.t.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("%.300s: %v", expression, err)
	}
	return v
}

// frame waits for the page's next animation frame.
func (p *page) frame() {
	p.t.Helper()
	eval[bool](p, `new Promise((done) => requestAnimationFrame(() => done(true)))`)
}

// wait waits until a JavaScript expression is true. The page evaluates it in each animation frame, because its
// content security policy forbids the driver's own polling. After patience, wait fails the test with the page's
// text.
func (p *page) wait(expression string) {
	p.t.Helper()
	shown := eval[string](p, fmt.Sprintf(`new Promise((done) => {
		const began = performance.now();
		const look = () => {
			if (%s) done('');
			else if (performance.now() - began > %d) done(location.href + '\n' + document.body.innerText);
			else requestAnimationFrame(look);
		};
		look();
	})`, expression, patience.Milliseconds()))
	if shown != "" {
		p.t.Fatalf("never true: %s\n%s", expression, shown)
	}
}

// see waits until the page shows a text.
func (p *page) see(text string) {
	p.t.Helper()
	p.wait(fmt.Sprintf(`document.body.innerText.includes(%s)`, quote(text)))
}

// hear waits until the page announces a text to screen readers.
func (p *page) hear(text string) {
	p.t.Helper()
	p.wait(fmt.Sprintf(`document.querySelector('[role=status]').textContent.includes(%s)`, quote(text)))
}

// address returns the address's parameters.
func (p *page) address() url.Values {
	p.t.Helper()
	_, query, _ := strings.Cut(eval[string](p, `location.hash`), "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		p.t.Fatal(err)
	}
	return values
}

// notice records requests and faults from the browser's events.
func (p *page) notice(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		rest, own := strings.CutPrefix(e.Request.URL, p.origin+"/")
		if own {
			p.sent = append(p.sent, rest)
		} else if !strings.HasPrefix(e.Request.URL, "data:") && e.Request.URL != "about:blank" {
			p.faults = append(p.faults, "a request leaves the origin: "+e.Request.URL)
		}
	case *runtime.EventConsoleAPICalled:
		if e.Type == "error" || e.Type == "assert" {
			text, _ := json.Marshal(e.Args)
			p.faults = append(p.faults, "console: "+string(text))
		}
	case *runtime.EventExceptionThrown:
		text, _ := json.Marshal(e.ExceptionDetails)
		p.faults = append(p.faults, "exception: "+string(text))
	case *log.EventEntryAdded:
		if e.Entry.Level == "error" {
			p.faults = append(p.faults, fmt.Sprintf("console: %s (%s)", e.Entry.Text, e.Entry.URL))
		}
	}
}

// forgive makes blame ignore faults that contain text.
func (p *page) forgive(text string) { p.forgiven = append(p.forgiven, text) }

// blame fails the test if the page sent a request to another origin, logged an error, threw an exception or shows an
// error message.
func (p *page) blame() {
	p.t.Helper()
	if shown := eval[string](p, `[...document.querySelectorAll('main ~ [role=alert], [role=alert]')].map((e) => e.innerText).join()`); shown != "" {
		p.t.Errorf("the page shows an error: %s", shown)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, fault := range p.faults {
		pardoned := false
		for _, text := range p.forgiven {
			pardoned = pardoned || strings.Contains(fault, text)
		}
		if !pardoned {
			p.t.Error(fault)
		}
	}
}

// asked returns how many requests had an address with this prefix.
func (p *page) asked(prefix string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, address := range p.sent {
		if strings.HasPrefix(address, prefix) {
			n++
		}
	}
	return n
}

// quote returns a text as a JavaScript string.
func quote(text string) string {
	j, _ := json.Marshal(text) // never fails for a string
	return string(j)
}

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

// page is a tab, with storage and cookies of its own. Its methods fail the test if they cannot do what they say.
type page struct {
	t      testing.TB
	ctx    context.Context
	origin string

	mu       sync.Mutex // guards what follows, which the browser's events fill
	faults   []string
	forgiven []string
	sent     []string // addresses of requests, without the origin
}

// screen is what a page is looked at with.
type screen struct {
	width, height int64
	touch         bool   // a finger instead of a mouse
	theme         string // "light" or "dark", as the system has it
	scale         float64
}

var (
	desk  = screen{width: 1280, height: 900, theme: "light", scale: 1}
	phone = screen{width: 375, height: 667, touch: true, theme: "light", scale: 1}
)

// open shows an address of a site, such as "#/play?game=connect4", on a screen, and waits until the page is there.
func open(t testing.TB, s *site, hash string, on screen) *page {
	t.Helper()
	p := blank(t, s, on)
	p.visit(hash)
	return p
}

// blank is a tab in which nothing is open yet.
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

// media sets what style sheets ask for: the theme, and that nothing moves, so that what is seen does not depend on when; and more.
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

// reload loads it again.
func (p *page) reload() {
	p.t.Helper()
	p.do(chromedp.Reload())
	p.wait(`document.querySelector("main h1, main h2, main .standing")`)
}

// do runs steps of the driver.
func (p *page) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, steps...); err != nil {
		p.t.Fatal(err)
	}
}

// eval is the value of a JavaScript expression; promises are waited for.
func eval[T any](p *page, expression string) T {
	p.t.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("%.300s: %v", expression, err)
	}
	return v
}

// frame waits for the next picture of the page.
func (p *page) frame() {
	p.t.Helper()
	eval[bool](p, `new Promise((done) => requestAnimationFrame(() => done(true)))`)
}

// wait waits until a JavaScript expression is true. The page looks at each of its frames, since its content security policy
// forbids what the driver would do, and tells what it shows instead when patience ends.
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
		p.t.Fatalf("it does not happen that %s\n%s", expression, shown)
	}
}

// see waits until the page shows a text.
func (p *page) see(text string) {
	p.t.Helper()
	p.wait(fmt.Sprintf(`document.body.innerText.includes(%s)`, quote(text)))
}

// hear waits until a screen reader has been told a text.
func (p *page) hear(text string) {
	p.t.Helper()
	p.wait(fmt.Sprintf(`document.querySelector('[role=status]').textContent.includes(%s)`, quote(text)))
}

// address are the parameters of the address.
func (p *page) address() url.Values {
	p.t.Helper()
	_, query, _ := strings.Cut(eval[string](p, `location.hash`), "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		p.t.Fatal(err)
	}
	return values
}

// notice is told of the browser's events.
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

// forgive lets faults pass that have a text in them.
func (p *page) forgive(text string) { p.forgiven = append(p.forgiven, text) }

// blame fails the test for what went wrong in the page: requests that leave the origin, errors in the console, exceptions, and
// messages of trouble.
func (p *page) blame() {
	p.t.Helper()
	if shown := eval[string](p, `[...document.querySelectorAll('main ~ [role=alert], [role=alert]')].map((e) => e.innerText).join()`); shown != "" {
		p.t.Errorf("the page is in trouble: %s", shown)
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

// asked is how often addresses that begin so have been asked for.
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

// quote writes a text as JavaScript.
func quote(text string) string {
	j, _ := json.Marshal(text) // strings can be written
	return string(j)
}

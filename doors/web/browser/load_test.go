package browser

import (
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
)

// counted is a site's handler that counts requests and the bytes of answers.
type counted struct {
	http.Handler
	requests, bytes atomic.Int64
}

// ServeHTTP implements http.Handler.
func (c *counted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.requests.Add(1)
	c.Handler.ServeHTTP(counter{w, &c.bytes}, r)
}

type counter struct {
	http.ResponseWriter
	bytes *atomic.Int64
}

// Write implements http.ResponseWriter.
func (c counter) Write(b []byte) (int, error) {
	c.bytes.Add(int64(len(b)))
	return c.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController.
func (c counter) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// A first visit takes few requests and bytes. The browser keeps the page's files, so a second visit takes three requests: the page, the
// position and the players.
func TestVisits(t *testing.T) {
	s := serve(t, nil)
	site := &counted{Handler: s.server.Config.Handler}
	s.server.Config.Handler = site
	const hash = "#/play?game=connect4&first=person&second=person"
	p := open(t, s, hash, desk)
	p.find("gridcell", "column 4, row 1, empty")
	if n, size := site.requests.Load(), site.bytes.Load(); n > 12 || size > 70_000 {
		t.Errorf("the first visit takes %d requests and %d bytes", n, size)
	}
	for name, again := range map[string]func(){
		"a second visit": func() { p.visit(hash) },
		"a reload":       func() { p.do(chromedp.Reload()) },
	} {
		site.requests.Store(0)
		again()
		p.find("gridcell", "column 4, row 1, empty")
		if n := site.requests.Load(); n > 3 {
			t.Errorf("%s takes %d requests", name, n)
		}
	}
}

// A move and the player's answer take two requests: for the position after the move, and for the answer with its position.
func TestMoveAndAnswer(t *testing.T) {
	s := serve(t, nil)
	site := &counted{Handler: s.server.Config.Handler}
	s.server.Config.Handler = site
	p := open(t, s, "#/play?game=tictactoe&first=person&second=random", desk)
	p.find("gridcell", "b2, empty")
	site.requests.Store(0)
	p.click("gridcell", "b2, empty")
	p.wait(`document.querySelectorAll('[role=gridcell]:not([aria-label$=empty])').length === 2`)
	p.see("X to move")
	if n := site.requests.Load(); n != 2 {
		t.Errorf("%d requests, want 2", n)
	}
}

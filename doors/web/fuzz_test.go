package web

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"
	"time"

	"tengen/run/runtest"
)

// Whatever is asked for, the answer is one of those that docs/interfaces/http.md lists, and JSON where it is no page and no stream.
func FuzzRequests(f *testing.F) {
	for _, target := range []string{
		"/", "/api/games", "/api/position?game=connect4&moves=44", "/api/position?game=mnk:3,3,3&moves=a1+b2",
		"/api/players?game=tictactoe", "/api/analysis?game=tictactoe&moves=a1&player=uct&simulations=10&line=b2",
		"/api/analysis?game=tictactoe&player=alphabeta&depth=1", "/api/truth?game=tictactoe&moves=a1+b1", "/api/runs/tiny",
		"/api/runs/tiny/games?first=-1&count=2", "/api/runs/tiny/games/3", "/api/runs/x/events?after=1", "/?token=x", "/api/%2e%2e/x",
	} {
		f.Add("GET", target, "localhost", "", "")
	}
	f.Add("POST", "/api/read?game=gomoku", "localhost", "", "")
	f.Add("POST", "/api/sgf?game=gomoku&resigned=first", "localhost", "", "")
	f.Add("POST", "/api/runs", "evil.example", "http://evil.example", "cross-site")
	s := newServer(f, func(o *Options) {
		o.Runs = []string{runtest.Run(f)}
		o.Limits.Time, o.Limits.Truth, o.Limits.Simulations, o.Limits.Depth = 20*time.Millisecond, 5*time.Millisecond, 20, 2
	})
	allowed := map[int]bool{200: true, 303: true, 307: true, 301: true, 308: true, 400: true, 401: true, 403: true, 404: true, 405: true, 409: true, 413: true, 429: true}
	f.Fuzz(func(t *testing.T, method, target, host, origin, site string) {
		u, err := url.ParseRequestURI(target)
		if err != nil || u.Path == "/api/runs/tiny/events" { // which goes on
			return
		}
		r := request("/")
		r.Method, r.URL, r.Host = method, u, host
		r.Header.Set("Origin", origin)
		r.Header.Set("Sec-Fetch-Site", site)
		w := ask(s, r)
		if !allowed[w.Code] {
			t.Fatalf("%s %s: status %d\n%s", method, target, w.Code, w.Body)
		}
		if w.Header().Get("Content-Type") == "application/json" && method != http.MethodHead && !json.Valid(w.Body.Bytes()) {
			t.Errorf("%s %s: no JSON\n%s", method, target, w.Body)
		}
	})
}

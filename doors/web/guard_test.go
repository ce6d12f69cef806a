package web

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tengen/doors/web/runs"
)

// Requests that no page of the server makes are refused.
func TestGuard(t *testing.T) {
	s := newServer(t, func(o *Options) { o.Hosts = []string{"box.example:7070", "10.0.0.7"} })
	const api, page = "/api/runs", "/"
	for _, c := range []struct {
		name   string
		target string
		change func(*http.Request)
		status int
	}{
		{"plain", api, func(*http.Request) {}, 200},
		{"another port", api, func(r *http.Request) { r.Host = "localhost:1" }, 200},
		{"IPv6", api, func(r *http.Request) { r.Host = "[::1]:7070" }, 200},
		{"a name that was given", api, func(r *http.Request) { r.Host = "BOX.example." }, 200},
		{"an address that was given", api, func(r *http.Request) { r.Host = "10.0.0.7:7070" }, 200},
		{"a forged host", api, func(r *http.Request) { r.Host = "evil.example:7070" }, 403},
		{"a forged host, page", page, func(r *http.Request) { r.Host = "evil.example" }, 403},
		{"a name that begins well", api, func(r *http.Request) { r.Host = "localhost.evil.example" }, 403},
		{"an unknown address", api, func(r *http.Request) { r.Host = "10.0.0.8" }, 403},
		{"no host", api, func(r *http.Request) { r.Host = "" }, 403},
		{"its own origin", api, func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:7070") }, 200},
		{"a foreign origin", api, func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") }, 403},
		{"another port's origin", api, func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:8080") }, 403},
		{"an opaque origin", api, func(r *http.Request) { r.Header.Set("Origin", "null") }, 403},
		{"the page's own script", api, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-origin") }, 200},
		{"typed by a person", api, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "none") }, 200},
		{"another site's script", api, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, 403},
		{"a neighbour's script", api, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") }, 403},
		{"another site's link to data", api, crossSiteLink, 403},
		{"another site's link to the page", page, crossSiteLink, 200},
		{"another site's link to profiles", "/debug/pprof/trace", crossSiteLink, 403},
		{"another site's link to figures", "/metrics", crossSiteLink, 403},
		{"another site's frame or picture", page, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, 403},
		{"POST", api, func(r *http.Request) { r.Method = http.MethodPost }, 405},
		{"POST from elsewhere", api, func(r *http.Request) {
			r.Method = http.MethodPost
			r.Header.Set("Sec-Fetch-Site", "cross-site")
		}, 403},
		{"a text", "/api/read?game=tictactoe", post, 200},
		{"lines of a file", "/api/sgf?game=tictactoe", post, 200},
		{"a text from a site that hides", "/api/read?game=tictactoe", func(r *http.Request) {
			post(r)
			r.Header.Set("Origin", "null")
		}, 403},
		{"a text from a neighbour", "/api/read?game=tictactoe", func(r *http.Request) {
			post(r)
			r.Header.Set("Sec-Fetch-Site", "same-site")
		}, 403},
		{"a text elsewhere", "/api/position?game=tictactoe", post, 405},
		{"a text without POST", "/api/read?game=tictactoe", func(r *http.Request) { post(r); r.Method = http.MethodGet }, 413},
		{"a long text", "/api/read?game=tictactoe", func(r *http.Request) {
			r.Method, r.Body, r.ContentLength = http.MethodPost, io.NopCloser(strings.NewReader(strings.Repeat(" ", 64<<10+1))), -1
		}, 413},
		{"HEAD", api, func(r *http.Request) { r.Method = http.MethodHead }, 200},
		{"HEAD of a stream", "/api/analysis?game=tictactoe&player=random", func(r *http.Request) { r.Method = http.MethodHead }, 405},
		{"a body", api, func(r *http.Request) { r.ContentLength = 5 }, 413},
		{"a body of unknown size", api, func(r *http.Request) { r.ContentLength = -1 }, 413},
		{"a long address", api + "?x=" + strings.Repeat("1", maxAddress), func(*http.Request) {}, 413},
	} {
		r := request(c.target)
		c.change(r)
		if w := ask(s, r); w.Code != c.status {
			t.Errorf("%s: status %d, want %d\n%s", c.name, w.Code, c.status, w.Body)
		}
	}
	r := request("/api/analysis?game=tictactoe&player=random")
	r.Method = http.MethodHead
	if allow := ask(s, r).Header().Get("Allow"); allow != "GET" {
		t.Errorf("a stream that refuses HEAD allows %s", allow)
	}
}

func post(r *http.Request) {
	r.Method, r.Body, r.ContentLength = http.MethodPost, io.NopCloser(strings.NewReader("a1 b2")), 5
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded") // as curl sends it
}

func crossSiteLink(r *http.Request) {
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	r.Header.Set("Sec-Fetch-Mode", "navigate")
}

// Every answer, errors too, says what a page may do.
func TestHeaders(t *testing.T) {
	s := newServer(t, nil)
	foreign := request("/")
	foreign.Host = "evil.example"
	for _, r := range []*http.Request{request("/"), request("/api/games"), request("/nothing"), foreign} {
		h := ask(s, r).Header()
		csp := h.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"} {
			if !strings.Contains(csp, part) {
				t.Errorf("%s: policy %q has no %s", r.URL, csp, part)
			}
		}
		if strings.Contains(csp, "unsafe") || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: %v", r.URL, h)
		}
	}
}

// With a token, nothing is to be had without it; a browser brings it once, by a link.
func TestToken(t *testing.T) {
	s := newServer(t, func(o *Options) { o.Token = "secret" })
	send := func(target, name, value string) *httptest.ResponseRecorder {
		r := request(target)
		if name != "" {
			r.Header.Set(name, value)
		}
		return ask(s, r)
	}
	for _, target := range []string{"/", "/api/runs", "/?token=wrong", "/api/runs?token=", "/nothing"} {
		if w := send(target, "", ""); w.Code != http.StatusUnauthorized || w.Header().Get("WWW-Authenticate") != "Bearer" {
			t.Errorf("%s: status %d", target, w.Code)
		}
	}
	if w := send("/api/runs", "Authorization", "Bearer secret"); w.Code != http.StatusOK {
		t.Errorf("with the token: status %d", w.Code)
	}
	for _, wrong := range []string{"Bearer secrets", "Bearer ", "Basic secret", "secret"} {
		if w := send("/api/runs", "Authorization", wrong); w.Code != http.StatusUnauthorized {
			t.Errorf("with %q: status %d", wrong, w.Code)
		}
	}
	w := send("//evil.example/?token=secret&game=connect4", "", "")
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/evil.example/?game=connect4" {
		t.Errorf("the link leads to %q with status %d", w.Header().Get("Location"), w.Code)
	}
	cookie := w.Result().Cookies()[0]
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode || cookie.Secure {
		t.Errorf("%+v", cookie)
	}
	if w := send("/api/runs", "Cookie", cookie.Name+"="+cookie.Value); w.Code != http.StatusOK {
		t.Errorf("with the cookie: status %d", w.Code)
	}
	if w := send("/api/runs", "Cookie", cookie.Name+"=x"); w.Code != http.StatusUnauthorized {
		t.Errorf("with a wrong cookie: status %d", w.Code)
	}
}

// The guard covers mounted addresses, and Mount gets the names of the runs.
func TestMounted(t *testing.T) {
	s := newServer(t, func(o *Options) {
		o.Runs, o.Live = []string{"one/run", "other/run"}, runs.NewLive("one/run")
		o.Mount = func(now func() []*runs.Run) map[string]http.Handler {
			return map[string]http.Handler{"GET /runs.txt": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				for _, r := range now() {
					fmt.Fprintln(w, r.Name, filepath.Base(filepath.Dir(r.Dir)), r.Live != nil)
				}
			})}
		}
	})
	const want = "run one true\nrun-2 other false\n"
	if w := ask(s, request("/runs.txt")); w.Code != http.StatusOK || w.Body.String() != want {
		t.Errorf("status %d, %q, want %q", w.Code, w.Body, want)
	}
	foreign := request("/runs.txt")
	foreign.Host = "evil.example"
	wantError(t, s, foreign, 403, "not called evil.example")
}

func TestAssets(t *testing.T) {
	s := newServer(t, nil)
	w := ask(s, request("/"))
	if w.Code != http.StatusOK || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") || !strings.Contains(w.Body.String(), "<title>") {
		t.Fatalf("the page: %d %v", w.Code, w.Header())
	}
	if w.Header().Get("Cache-Control") != "no-cache" {
		t.Errorf("%v", w.Header())
	}
	again := request("/")
	again.Header.Set("If-None-Match", w.Header().Get("ETag"))
	if w := ask(s, again); w.Code != http.StatusNotModified || w.Body.Len() > 0 {
		t.Errorf("asked again: status %d", w.Code)
	}
	style := regexp.MustCompile(`style\.css\?\w+`).FindString(w.Body.String())
	for address, want := range map[string]string{"/" + style: "max-age=31536000, immutable", "/style.css": "no-cache", "/style.css?old": "no-cache"} {
		if w := ask(s, request(address)); w.Code != http.StatusOK || w.Header().Get("Cache-Control") != want {
			t.Errorf("%s: %d %v", address, w.Code, w.Header())
		}
	}
	_, games, _ := strings.Cut(w.Body.String(), `id="games">`)
	games, _, _ = strings.Cut(games, "</script>")
	if listed := ask(s, request("/api/games")); strings.TrimSpace(listed.Body.String()) != games {
		t.Errorf("the games in the page are %.200s", games)
	}
	if one, other := newAsset("a.js", []byte("1")), newAsset("a.js", []byte("2")); one.tag == other.tag {
		t.Error("two contents have one tag")
	}
	if a := newAsset("a.js", []byte(strings.Repeat("let x = 1;\n", 100))); len(a.packed) == 0 || len(a.packed) > 200 {
		t.Errorf("a file is packed to %d bytes", len(a.packed))
	}
	for _, hidden := range []string{"/assets.go", "/../web.go", "/vendor"} {
		r := request("/")
		r.URL.Path = hidden
		if w := ask(s, r); w.Code == http.StatusOK {
			t.Errorf("%s is answered", hidden)
		}
	}
}

package web

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"tengen/doors/web/answer"
	"tengen/internal/loopback"
)

const maxAddress = 16 << 10

// policy restricts pages to what this server sends.
const policy = "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// guard passes requests from this server's own pages or from a program. They must have the token, if there is one.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		control := http.NewResponseController(w)
		if r.ContentLength != 0 { // a refused body must still be read in time
			_ = control.SetReadDeadline(time.Now().Add(s.options.Limits.Write))
		}
		w = timedWriter{w, control, s.options.Limits.Write}
		if err := s.checkHost(r); err != nil {
			answer.Fail(w, err)
			return
		}
		if err := checkRequest(r); err != nil {
			answer.Fail(w, err)
			return
		}
		if s.options.Token != "" && !s.authorized(w, r) {
			return
		}
		next.ServeHTTP(w, r)
	})
}

// timedWriter gives every write a deadline: clients may stop reading.
type timedWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	limit   time.Duration
}

// WriteHeader implements http.ResponseWriter.
func (w timedWriter) WriteHeader(status int) {
	w.extend()
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w timedWriter) Write(p []byte) (int, error) {
	w.extend()
	return w.ResponseWriter.Write(p)
}

// Unwrap is for http.ResponseController.
func (w timedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w timedWriter) extend() {
	_ = w.control.SetWriteDeadline(time.Now().Add(w.limit)) // fails only for a writer without a connection
}

var errForeign = answer.Error{Status: http.StatusForbidden, Text: "requests from other sites are refused"}

// checkHost refuses unknown host names: another site could point its name here to read answers (DNS rebinding).
func (s *Server) checkHost(r *http.Request) error {
	name := hostName(r.Host)
	if loopback.Is(name) || slices.ContainsFunc(s.options.Hosts, func(h string) bool { return hostName(h) == name }) {
		return nil
	}
	return answer.Error{Status: http.StatusForbidden, Text: "this server is not called " + strings.ToValidUTF8(name, "?") +
		": use the address that it printed, or start it with --host"}
}

func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}

// checkRequest refuses requests that no page of this server makes. Other sites may link to pages, but not to data or
// profiles.
func checkRequest(r *http.Request) error {
	// These requests change nothing. They are POST because a text may be too long for an address.
	text := r.Method == http.MethodPost && (r.URL.Path == "/api/read" || r.URL.Path == "/api/sgf")
	stop := r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/stop")
	page := r.URL.Path == "/" || allAssets()[r.URL.Path] != nil
	site, navigation := r.Header.Get("Sec-Fetch-Site"), r.Header.Get("Sec-Fetch-Mode") == "navigate"
	switch {
	case foreignOrigin(r):
		return errForeign
	case site != "" && site != "same-origin" && site != "none" && (!page || !navigation):
		return errForeign
	case r.Method != http.MethodGet && r.Method != http.MethodHead && !stop && !text:
		return answer.Error{Status: http.StatusMethodNotAllowed, Text: r.Method + " is not allowed: use GET or HEAD"}
	case r.ContentLength != 0 && !text:
		return answer.Error{Status: http.StatusRequestEntityTooLarge, Text: "a request must not have a body"}
	case len(r.URL.RequestURI()) > maxAddress:
		return answer.Error{Status: http.StatusRequestEntityTooLarge, Text: "the address is too long"}
	}
	return nil
}

func foreignOrigin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return false
	}
	u, err := url.Parse(origin)
	return err != nil || !strings.EqualFold(u.Host, r.Host)
}

// authorized reports whether a request has the token in a header or cookie. If not, it answers the request: a token in
// the address moves to a cookie by a redirect, and without one the answer is an error.
func (s *Server) authorized(w http.ResponseWriter, r *http.Request) bool {
	digest := sha256.Sum256([]byte(s.options.Token))
	name := "tengen_" + hex.EncodeToString(digest[:4]) // cookies ignore ports
	right := func(token string) bool {
		given := sha256.Sum256([]byte(token))
		return subtle.ConstantTimeCompare(given[:], digest[:]) == 1
	}
	if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok && right(token) {
		return true
	}
	if c, err := r.Cookie(name); err == nil && right(c.Value) {
		if !r.URL.Query().Has("token") {
			return true
		}
	} else if !right(r.URL.Query().Get("token")) {
		answer.Fail(w, answer.Error{Status: http.StatusUnauthorized, Text: "the token is missing or wrong: open the link that the server printed"})
		return false
	}
	http.SetCookie(w, &http.Cookie{
		Name: name, Value: s.options.Token, Path: "/", HttpOnly: true, Secure: s.options.Secure, SameSite: http.SameSiteLaxMode,
	})
	rest := r.URL.Query()
	rest.Del("token")
	to := url.URL{Path: "/" + strings.TrimLeft(r.URL.Path, "/"), RawQuery: rest.Encode()}
	h := w.Header()
	h.Set("Location", to.RequestURI())
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusSeeOther)
	return false
}

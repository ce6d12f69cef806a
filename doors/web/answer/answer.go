// Package answer has what the addresses of the web server share: parameters of requests, and answers as JSON, as errors
// and as streams of events.
package answer

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"tengen/engine"
)

// Error is an error with its HTTP status.
type Error struct {
	Status int
	Text   string
}

// Error returns the text for the client.
func (e Error) Error() string { return e.Text }

// BadRequestf returns an error about a parameter.
func BadRequestf(format string, a ...any) error {
	return Error{http.StatusBadRequest, fmt.Sprintf(format, a...)}
}

// Handler is like http.HandlerFunc, and its error is the answer.
type Handler func(http.ResponseWriter, *http.Request) error

// ServeHTTP implements http.Handler.
func (handle Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := handle(w, r); err != nil {
		Fail(w, err)
	}
}

// Fail answers with an error: with the status of an Error, 400 for an engine.InputError, otherwise 500.
func Fail(w http.ResponseWriter, err error) {
	status := http.StatusInternalServerError
	if known := (Error{}); errors.As(err, &known) {
		status = known.Status
	} else if errors.As(err, new(engine.InputError)) {
		status = http.StatusBadRequest
	}
	switch status {
	case http.StatusTooManyRequests:
		w.Header().Set("Retry-After", "2")
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", "Bearer")
	case http.StatusMethodNotAllowed:
		if w.Header().Get("Allow") == "" {
			w.Header().Set("Allow", "GET, HEAD")
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": err.Error()}) // the client may have gone
}

// JSON answers with a value. A browser that still has the same answer gets no content.
func JSON(w http.ResponseWriter, r *http.Request, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	text = append(text, '\n')
	w.Header().Set("Content-Type", "application/json")
	var packed []byte
	if unpacks(r) {
		packed = Pack(text)
	}
	Content(w, r, text, packed, "no-cache")
	return nil
}

func unpacks(r *http.Request) bool { return strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") }

// Content answers with content, or with the same packed by Pack if that is not nil and the client can unpack it.
func Content(w http.ResponseWriter, r *http.Request, content, packed []byte, caching string) {
	digest := sha256.Sum256(content)
	h := w.Header()
	h.Set("ETag", fmt.Sprintf(`W/"%x"`, digest[:12])) // weak: it stands for the content, packed or not
	h.Set("Cache-Control", caching)
	h.Set("Vary", "Accept-Encoding")
	if packed != nil && unpacks(r) {
		h.Set("Content-Encoding", "gzip")
		content = packed
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}

// Pack returns content packed by gzip, or nil if that saves less than a tenth.
func Pack(content []byte) []byte {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write(content)
	_ = z.Close()
	if packed.Len() >= len(content)*9/10 {
		return nil
	}
	return packed.Bytes()
}

// Query has a request's parameters.
type Query map[string]string

// parseQuery reads the parameters in a request's address. Each is given at most once.
func parseQuery(r *http.Request, allowed []string) (Query, error) {
	given, err := url.ParseQuery(r.URL.RawQuery) // r.ParseForm would take a body for parameters
	if err != nil {
		return nil, BadRequestf("the parameters cannot be read: %v", err)
	}
	q := Query{}
	for name, values := range given {
		switch {
		case !slices.Contains(allowed, name):
			return nil, BadRequestf("unknown parameter %q", name)
		case len(values) > 1:
			return nil, BadRequestf("%s is given %d times", name, len(values))
		}
		q[name] = values[0]
	}
	return q, nil
}

// Number reads a whole number from low to high. Without one, it returns fallback.
func (q Query) Number(name string, fallback, low, high int) (int, error) {
	text, given := q[name]
	if !given || text == "" {
		return fallback, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < low || n > high {
		return 0, BadRequestf("%s is %q, but must be %d to %d", name, text, low, high)
	}
	return n, nil
}

// Given reports whether there is a parameter that is not empty.
func (q Query) Given(name string) bool { return q[name] != "" }

// Route answers the requests for one address.
type Route struct {
	Handle func(http.ResponseWriter, *http.Request, Query) error
	Params []string // that it takes
}

// ServeHTTP implements http.Handler.
func (route Route) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q, err := parseQuery(r, route.Params)
	if err == nil {
		err = route.Handle(w, r, q)
	}
	if err != nil {
		Fail(w, err)
	}
}

// Limits bound a request.
type Limits struct {
	Simulations      int           `json:"simulations"`
	Time             time.Duration `json:"-"`     // of a search
	Depth            int           `json:"depth"` // of alpha-beta
	Moves            int           `json:"moves"`
	Streams          int           `json:"streams"` // at once
	StreamsPerClient int           `json:"streams_per_client"`

	Truth time.Duration `json:"-"` // for a solver
	Write time.Duration `json:"-"` // for a client to read what is written
	Beat  time.Duration `json:"-"` // between comments in an idle stream
	Poll  time.Duration `json:"-"` // between looks at a run directory that another process trains
}

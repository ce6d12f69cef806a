package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"slices"
	"sync"

	"tengen/doors/web/answer"
	"tengen/doors/web/assets"
)

type asset struct {
	kind   string // content type
	tag    string // changes with the content, without quotes
	plain  []byte
	packed []byte // see answer.Pack
}

// kinds are the content types by file suffix, independent of the system.
var kinds = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml",
}

// allAssets has the page's files by path.
var allAssets = sync.OnceValue(func() map[string]*asset {
	all := map[string]*asset{}
	err := fs.WalkDir(assets.Files, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all["/"+name] = newAsset(name, []byte(tagged(name)))
		}
		return err
	})
	if err != nil {
		panic(err) // the files are part of the program
	}
	return all
})

// tagged returns a file in which the addresses of other files end with their tags. Such an address always has the same
// content, so browsers need not ask for it again.
func tagged(name string) string {
	return readdressed(name, func(other string) string { return other + "?" + tagOf([]byte(tagged(other))) })
}

var named = regexp.MustCompile(`((?:src|href) ?= ?["']|url\()([\w./-]+\.(?:js|css|svg))`)

// readdressed returns a file in which f has replaced the addresses of other files.
func readdressed(name string, f func(other string) string) string {
	content, err := assets.Files.ReadFile(name)
	if err != nil {
		panic(err) // the files are part of the program
	}
	return named.ReplaceAllStringFunc(string(content), func(found string) string {
		part := named.FindStringSubmatch(found)
		return part[1] + f(part[2])
	})
}

// tagOf returns the first 12 bytes of a content's SHA-256 (engine.js compares them with a model's).
func tagOf(content []byte) string {
	digest := sha256.Sum256(content)
	return hex.EncodeToString(digest[:12])
}

func newAsset(name string, content []byte) *asset {
	kind := kinds[path.Ext(name)]
	if kind == "" {
		kind = "text/plain; charset=utf-8" // such as licences
	}
	return &asset{kind: kind, tag: tagOf(content), plain: content, packed: answer.Pack(content)}
}

var errNoAddress = answer.Error{Status: http.StatusNotFound, Text: "there is no such address: docs/interfaces/http.md lists them"}

// servePage answers with index.html and the list of games in it, which saves the browser a request.
func (s *Server) servePage(w http.ResponseWriter, r *http.Request) error {
	games, err := json.Marshal(s.positions.Games(r.Context())) // escapes whatever would end the script
	if err != nil {
		return err
	}
	page := bytes.Replace(allAssets()["/index.html"].plain, []byte("<body>\n"),
		slices.Concat([]byte("<body>\n  <script type=\"application/json\" id=\"games\">"), games, []byte("</script>\n")), 1)
	newAsset("index.html", page).serve(w, r, "no-cache")
	return nil
}

// serveAsset answers with a file of the page, and for good if the address has its tag.
func serveAsset(w http.ResponseWriter, r *http.Request) error {
	a := allAssets()[r.URL.Path]
	if a == nil {
		return errNoAddress
	}
	caching := "no-cache"
	if r.URL.RawQuery == a.tag {
		caching = "max-age=31536000, immutable"
	}
	a.serve(w, r, caching)
	return nil
}

func (a *asset) serve(w http.ResponseWriter, r *http.Request, caching string) {
	w.Header().Set("Content-Type", a.kind)
	answer.Content(w, r, a.plain, a.packed, caching)
}

package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"tengen/doors/web/assets"
)

type asset struct {
	kind   string // content type
	tag    string // changes with the content, without quotes
	plain  []byte
	packed []byte // gzipped; nil if gzip saves less than a tenth
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
		if err != nil || d.IsDir() {
			return err
		}
		content, err := assets.Files.ReadFile(name)
		if err == nil {
			all["/"+name] = newAsset(name, content)
		}
		return err
	})
	if err != nil {
		panic(err) // the files are part of the program
	}
	all["/"] = all["/index.html"]
	return all
})

func newAsset(name string, content []byte) *asset {
	digest := sha256.Sum256(content)
	kind := kinds[path.Ext(name)]
	if kind == "" {
		kind = "text/plain; charset=utf-8" // such as licences
	}
	a := &asset{kind: kind, tag: hex.EncodeToString(digest[:12]), plain: content}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write(content)
	_ = z.Close()
	if packed.Len() < len(content)*9/10 {
		a.packed = packed.Bytes()
	}
	return a
}

// serveAsset answers with a page file. Browsers revalidate it, so that files of two versions never mix.
func serveAsset(w http.ResponseWriter, r *http.Request) error {
	a := allAssets()[r.URL.Path]
	if a == nil {
		return errNoAddress
	}
	h := w.Header()
	h.Set("Content-Type", a.kind)
	h.Set("Cache-Control", "no-cache")
	h.Set("Vary", "Accept-Encoding")
	content, tag := a.plain, a.tag
	if a.packed != nil && acceptsGzip(r) {
		h.Set("Content-Encoding", "gzip")
		content, tag = a.packed, tag+"-gzip"
	}
	h.Set("ETag", `"`+tag+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
	return nil
}

func acceptsGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, quality, _ := strings.Cut(part, ";")
		if strings.TrimSpace(name) == "gzip" {
			q, err := strconv.ParseFloat(strings.TrimPrefix(strings.TrimSpace(quality), "q="), 64)
			return err != nil || q > 0
		}
	}
	return false
}

// Package assets holds the page that package web serves. Its HTML, CSS and ES modules need no build step. Libraries are
// in lib, with licences and a manifest of origins and hashes.
package assets

import "embed"

// Files holds the page's files by request path; index.html is the entry point.
//
//go:embed *.html *.css *.js *.svg lib
var Files embed.FS

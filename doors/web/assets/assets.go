// Package assets holds the page that package web serves: HTML, style sheets and ES modules as they are written, without a
// build step, and the libraries that they use, in lib with their licences and a manifest of their origin and hashes.
package assets

import "embed"

// Files are the page's files by the path that a browser asks for, index.html first.
//
//go:embed *.html *.css *.js *.svg lib
var Files embed.FS

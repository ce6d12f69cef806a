// Package assets holds the files of the page.
package assets

import "embed"

// Files are the files, by their names below the server's root; index.html is the page.
//
//go:embed index.html
var Files embed.FS

// Package assets holds the page that package web serves. Browsers load bundle/app.js, which go generate makes from the
// ES modules in this folder. Libraries are in lib, with licences and a manifest of origins and hashes.
package assets

import "embed"

//go:generate go tool -modfile=../../../tools.mod esbuild app.js --bundle --minify --format=esm --target=es2022 --log-level=warning --outfile=bundle/app.js

// Site holds what a page without a server has besides Files: its Web Worker and its service worker.
//
//go:embed site/*.js
var Site embed.FS

// Files holds the page's files by request path; index.html is the entry point.
//
//go:embed index.html early.js *.css *.svg bundle lib
var Files embed.FS

package web

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"tengen/doors/web/assets"
	"tengen/engine"
)

// SiteEngine is this program, compiled for browsers.
type SiteEngine struct {
	Program []byte // packed by gzip
	Glue    []byte // wasm_exec.js of the Go that compiled it
}

// SiteBuild names what a page and its engine have in common: the version of this program, and the page's files.
func SiteBuild() string {
	var tags []byte
	for _, name := range slices.Sorted(maps.Keys(allAssets())) {
		tags = append(tags, allAssets()[name].tag...)
	}
	return engine.Version() + "-" + tagOf(tags)[:12]
}

// SiteEngineFile is the name of the file in a release that has the engine.
func SiteEngineFile() string { return "tengen-" + engine.Version() + "-engine.zip" }

// CompileSiteEngine compiles this program for browsers, from its source in the current folder's module or else in source.
func CompileSiteEngine(ctx context.Context, source string) (e SiteEngine, err error) {
	info, _ := debug.ReadBuildInfo()
	dir := "."
	if _, err := goTool(ctx, dir, "list", info.Path); err != nil && source != "" {
		dir = source
	}
	if err := checkSource(ctx, dir); err != nil {
		return e, err
	}
	scratch, err := os.MkdirTemp("", "tengen-site-")
	if err != nil {
		return e, err
	}
	defer os.RemoveAll(scratch)
	file := filepath.Join(scratch, "program")
	flags := "-ldflags=-s -w -X tengen/doors/web/inbrowser.Build=" + SiteBuild()
	if _, err := goTool(ctx, dir, "build", "-trimpath", "-buildvcs=false", flags, "-o", file, info.Path); err != nil {
		return e, err
	}
	program, err := os.ReadFile(file)
	if err != nil {
		return e, err
	}
	root, err := goTool(ctx, dir, "env", "GOROOT")
	if err != nil {
		return e, err
	}
	e.Glue, err = os.ReadFile(filepath.Join(root, "lib", "wasm", "wasm_exec.js"))
	e.Program = packed(program)
	return e, err
}

// checkSource returns an error if the scripts of this program's page differ from those in the module of dir.
func checkSource(ctx context.Context, dir string) error {
	folder, err := goTool(ctx, dir, "list", "-f", "{{.Dir}}", "tengen/doors/web/assets")
	if err != nil {
		return err
	}
	const page = "bundle/app.js"
	there, err := os.ReadFile(filepath.Join(folder, page))
	if here, _ := assets.Files.ReadFile(page); err == nil && !bytes.Equal(here, there) {
		err = fmt.Errorf("this program was built from another source than %s: build it again", filepath.Join(folder, page))
	}
	return err
}

// goTool runs Go in a folder, for browsers, and returns its output. The error has the last line of what it says.
func goTool(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=")
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		text := strings.TrimSpace(string(exit.Stderr))
		err = fmt.Errorf("go %s: %s", args[0], text[strings.LastIndex(text, "\n")+1:])
	}
	return strings.TrimSpace(string(out)), err
}

func packed(program []byte) []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // there is such a level
	_, _ = z.Write(program)
	_ = z.Close()
	return b.Bytes()
}

// ReadSiteEngine reads an engine of this build from the file of a release.
func ReadSiteEngine(file string) (e SiteEngine, err error) {
	archive, err := zip.OpenReader(file)
	if err != nil {
		return e, engine.InputErrorf("%s cannot be read: %w; the engine of a release is in %s", file, err, SiteEngineFile())
	}
	defer archive.Close()
	wanted := map[string]*[]byte{"tengen.wasm.gz": &e.Program, "wasm_exec.js": &e.Glue}
	for _, f := range archive.File {
		if to := wanted[path.Base(f.Name)]; to != nil {
			if *to, err = fs.ReadFile(archive, f.Name); err != nil {
				return e, fmt.Errorf("%s: %s: %w", file, f.Name, err)
			}
		}
	}
	var program []byte
	unpacked, err := gzip.NewReader(bytes.NewReader(e.Program))
	if err == nil {
		program, err = io.ReadAll(unpacked)
	}
	if err != nil || len(e.Glue) == 0 || !bytes.Contains(program, []byte(SiteBuild())) {
		err = engine.InputErrorf("%s is not the engine of this program's build, which is %s: take %s of the same release",
			file, SiteBuild(), SiteEngineFile())
	}
	return e, err
}

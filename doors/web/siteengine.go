package web

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime/debug"
	"strings"

	"tengen/doors/web/assets"
	"tengen/engine"
)

// SiteEngine is this program, compiled for browsers.
type SiteEngine struct {
	Program []byte // packed by gzip
	Glue    []byte // wasm_exec.js of the Go that compiled it
}

// CompileSiteEngine compiles this program for browsers, from its source in the current folder's module or else in source.
func CompileSiteEngine(ctx context.Context, source string) (SiteEngine, error) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return SiteEngine{}, errors.New("this program does not know its own package")
	}
	dir := "."
	if _, err := goTool(ctx, dir, "list", info.Path); err != nil && source != "" {
		dir = source
	}
	if err := checkSource(ctx, dir); err != nil {
		return SiteEngine{}, err
	}
	scratch, err := os.MkdirTemp("", "tengen-site-")
	if err != nil {
		return SiteEngine{}, err
	}
	defer os.RemoveAll(scratch)
	program := filepath.Join(scratch, "program")
	flags := "-s -w -X tengen/doors/web/inbrowser.Build=" + SiteBuild()
	if _, err := goTool(ctx, dir, "build", "-trimpath", "-buildvcs=false", "-ldflags="+flags, "-o", program, info.Path); err != nil {
		return SiteEngine{}, err
	}
	root, err := goTool(ctx, dir, "env", "GOROOT")
	if err != nil {
		return SiteEngine{}, err
	}
	glue, err := os.ReadFile(filepath.Join(root, "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return SiteEngine{}, err
	}
	content, err := os.ReadFile(program)
	if err != nil {
		return SiteEngine{}, err
	}
	return newSiteEngine(content, glue)
}

// checkSource returns an error if the page that this program has is another than the source's in the module of dir.
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

func newSiteEngine(program, glue []byte) (SiteEngine, error) {
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err == nil {
		_, err = z.Write(program)
	}
	if err == nil {
		err = z.Close()
	}
	return SiteEngine{packed.Bytes(), glue}, err
}

// ReadSiteEngine reads an engine that a page of this build can use from a file, such as one of a release.
func ReadSiteEngine(file string) (e SiteEngine, err error) {
	archive, err := zip.OpenReader(file)
	if err != nil {
		return e, engine.InputErrorf("%s cannot be read: %w; the engine of a release is in %s", file, err, SiteEngineFile())
	}
	defer archive.Close()
	for _, f := range archive.File {
		switch path.Base(f.Name) {
		case "tengen.wasm.gz":
			e.Program, err = read(f.Open)
		case "wasm_exec.js":
			e.Glue, err = read(f.Open)
		}
		if err != nil {
			return e, fmt.Errorf("%s: %s: %w", file, f.Name, err)
		}
	}
	program, err := read(func() (io.ReadCloser, error) { return gzip.NewReader(bytes.NewReader(e.Program)) })
	if err != nil || !bytes.Contains(program, []byte(SiteBuild())) {
		err = engine.InputErrorf("%s is not the engine of this program's build, which is %s: take %s of the same release",
			file, SiteBuild(), SiteEngineFile())
	}
	return e, err
}

func read(open func() (io.ReadCloser, error)) ([]byte, error) {
	r, err := open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// SiteEngineFile is the name of the file in a release that has the engine.
func SiteEngineFile() string { return "tengen-" + engine.Version() + "-engine.zip" }

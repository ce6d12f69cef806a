package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

type goPackage struct {
	ImportPath string
	Dir        string
	Standard   bool
	EmbedFiles []string
	Module     module
}

type module struct {
	Path, Dir string
	Main      bool
}

var (
	legalName   = regexp.MustCompile(`(?i)^(.+\.)?(licen[cs]es?|copying|notice|patents)([.-].*)?$`)
	licenceName = regexp.MustCompile(`(?i)(licen[cs]e|copying)[^/]*$`)
)

// legal reports whether a file must accompany a program: a licence or a notice.
func legal(file string) bool {
	return legalName.MatchString(filepath.Base(file)) && filepath.Ext(file) != ".go"
}

// licences returns the licences of Go and of all modules and embedded libraries in t's programs.
func licences(ctx context.Context, t target) ([]entry, error) {
	goroot, err := output(exec.CommandContext(ctx, "go", "env", "GOROOT"))
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "go", "list", "-deps", "-tags="+t.tags, "-json=ImportPath,Dir,Standard,EmbedFiles,Module", "./cmd/tengen", "./cmd/pbrain-tengen")
	cmd.Env = t.environment()
	list, err := output(cmd)
	if err != nil {
		return nil, err
	}
	all, err := legalFiles(module{Path: "go", Dir: strings.TrimSpace(string(goroot))}, ".")
	if err != nil {
		return nil, err
	}
	for decoder := json.NewDecoder(bytes.NewReader(list)); ; {
		var p goPackage
		var found []entry
		err := decoder.Decode(&p)
		switch {
		case errors.Is(err, io.EOF):
			slices.SortFunc(all, byName) // a module's packages share files
			return slices.CompactFunc(all, func(a, b entry) bool { return a.name == b.name }), nil
		case err != nil || p.Standard:
		case p.Module.Main:
			found, err = embedded(p)
		default:
			var inside string
			if inside, err = filepath.Rel(p.Module.Dir, p.Dir); err == nil {
				found, err = legalFiles(p.Module, inside)
			}
		}
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
}

// legalFiles returns the legal files in a module's folder and its parent folders. One must be a licence.
func legalFiles(m module, folder string) (all []entry, err error) {
	for ; ; folder = filepath.Dir(folder) {
		files, err := filepath.Glob(filepath.Join(m.Dir, folder, "*"))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			if !legal(file) {
				continue
			}
			inside, err := tree(file, path.Join("licenses", m.Path, filepath.ToSlash(folder), filepath.Base(file)), nil)
			if err != nil {
				return nil, err
			}
			all = append(all, inside...)
		}
		if folder == "." {
			break
		}
	}
	if !slices.ContainsFunc(all, func(e entry) bool { return licenceName.MatchString(e.name) }) {
		return nil, fmt.Errorf("no licence of %s in %s: it cannot be part of a release", m.Path, m.Dir)
	}
	return all, nil
}

// embedded returns a package's embedded legal files, such as licences of the web page's libraries.
func embedded(p goPackage) (all []entry, err error) {
	for _, file := range p.EmbedFiles {
		if !legal(file) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(p.Dir, filepath.FromSlash(file)))
		if err != nil {
			return nil, err
		}
		all = append(all, entry{name: path.Join("licenses", p.ImportPath, file), data: text})
	}
	return all, nil
}

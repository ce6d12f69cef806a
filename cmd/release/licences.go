package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

type linked struct {
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

// addLicences adds the licences of Go and of all modules and embedded libraries in t's programs.
func (f files) addLicences(ctx context.Context, t target) error {
	goroot, err := output(exec.CommandContext(ctx, "go", "env", "GOROOT"))
	if err != nil {
		return err
	}
	if err := f.addLegal(module{Path: "go", Dir: strings.TrimSpace(string(goroot))}, "."); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", "list", "-deps", "-json=ImportPath,Dir,Standard,EmbedFiles,Module", "./cmd/...")
	cmd.Env = t.environment()
	list, err := output(cmd)
	if err != nil {
		return err
	}
	for decoder := json.NewDecoder(bytes.NewReader(list)); decoder.More(); {
		var p linked
		err := decoder.Decode(&p)
		switch {
		case err != nil || p.Standard:
		case p.Module.Main:
			err = f.addEmbedded(p)
		default:
			var inside string
			if inside, err = filepath.Rel(p.Module.Dir, p.Dir); err == nil {
				err = f.addLegal(p.Module, inside)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// addLegal adds the legal files in a module's folder and its parents. One must be a licence.
func (f files) addLegal(m module, folder string) error {
	licensed := false
	for ; ; folder = filepath.Dir(folder) {
		found, err := filepath.Glob(filepath.Join(m.Dir, folder, "*"))
		if err != nil {
			return err
		}
		for _, file := range found {
			if !legal(file) {
				continue
			}
			licensed = licensed || licenceName.MatchString(filepath.Base(file))
			name := path.Join("licenses", m.Path, filepath.ToSlash(folder), filepath.Base(file))
			if err := f.add(file, name, 0o644, nil); err != nil {
				return err
			}
		}
		if folder == "." {
			break
		}
	}
	if !licensed {
		return fmt.Errorf("no licence of %s in %s: it cannot be part of a release", m.Path, m.Dir)
	}
	return nil
}

// addEmbedded adds a package's embedded legal files, such as licences of the web page's libraries.
func (f files) addEmbedded(p linked) error {
	for _, file := range p.EmbedFiles {
		if !legal(file) {
			continue
		}
		err := f.read(filepath.Join(p.Dir, filepath.FromSlash(file)), path.Join("licenses", p.ImportPath, file), 0o644)
		if err != nil {
			return err
		}
	}
	return nil
}

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

// licences returns the licences of Go and of every module and embedded library in the programs for t.
func licences(ctx context.Context, t target) ([]entry, error) {
	goroot, err := output(exec.CommandContext(ctx, "go", "env", "GOROOT"))
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "go", "list", "-deps", "-json=ImportPath,Dir,Standard,EmbedFiles,Module", "./cmd/...")
	cmd.Env = t.environment()
	list, err := output(cmd)
	if err != nil {
		return nil, err
	}
	texts := texts{}
	if err := texts.addModule(module{Path: "go", Dir: strings.TrimSpace(string(goroot))}, "."); err != nil {
		return nil, err
	}
	for decoder := json.NewDecoder(bytes.NewReader(list)); ; {
		var p linked
		err := decoder.Decode(&p)
		switch {
		case errors.Is(err, io.EOF):
			return texts.entries(), nil
		case err != nil:
		case p.Standard:
		case p.Module.Main:
			err = texts.addEmbedded(p)
		default:
			err = texts.addPackage(p)
		}
		if err != nil {
			return nil, err
		}
	}
}

// texts maps file names in the archive to their content.
type texts map[string][]byte

// addPackage adds the legal files in a package's folder and its parents, up to the module.
func (x texts) addPackage(p linked) error {
	inside, err := filepath.Rel(p.Module.Dir, p.Dir)
	if err != nil {
		return err
	}
	return x.addModule(p.Module, inside)
}

// addModule adds the legal files in folder and its parents within a module. It fails if none is a licence.
func (x texts) addModule(m module, folder string) error {
	found := false
	for ; ; folder = filepath.Dir(folder) {
		files, err := filepath.Glob(filepath.Join(m.Dir, folder, "*"))
		if err != nil {
			return err
		}
		for _, file := range files {
			if !legal(file) {
				continue
			}
			inside, err := tree(file, path.Join("licenses", m.Path, filepath.ToSlash(folder), filepath.Base(file)), nil)
			if err != nil {
				return err
			}
			for _, e := range inside {
				x[e.name] = e.data
				found = found || licenceName.MatchString(e.name)
			}
		}
		if folder == "." {
			break
		}
	}
	if !found {
		return fmt.Errorf("no licence of %s in %s: it cannot be part of a release", m.Path, m.Dir)
	}
	return nil
}

// addEmbedded adds the legal files that a package embeds, such as licences of the web page's libraries.
func (x texts) addEmbedded(p linked) error {
	for _, file := range p.EmbedFiles {
		if !legal(file) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(p.Dir, filepath.FromSlash(file)))
		if err != nil {
			return err
		}
		x[path.Join("licenses", p.ImportPath, file)] = text
	}
	return nil
}

func (x texts) entries() []entry {
	entries := make([]entry, 0, len(x))
	for name, data := range x {
		entries = append(entries, entry{name: name, data: data})
	}
	return entries
}

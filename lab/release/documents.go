package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

var completionFiles = map[string]string{
	"bash":       "tengen.bash",
	"fish":       "tengen.fish",
	"powershell": "tengen.ps1",
	"zsh":        "_tengen",
}

// documents returns the documentation, manual pages and completions. It writes the manual pages to the new folder man.
func documents(ctx context.Context, s stamp, man string) ([]entry, error) {
	var all []entry
	for _, name := range []string{"LICENSE", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "config.yaml", "examples", "docs"} {
		files, err := tree(name, name, func(name string) bool {
			return path.Ext(name) != ".go" && !strings.HasPrefix(path.Base(name), "go.")
		})
		if err != nil {
			return nil, err
		}
		all = append(all, files...)
	}
	pages, err := manual(ctx, s, man)
	if err != nil {
		return nil, err
	}
	all = append(all, pages...)
	for shell, name := range completionFiles {
		cmd := exec.CommandContext(ctx, "go", "run", "./cmd/tengen", "completion", shell)
		cmd.Env = host.environment()
		script, err := output(cmd)
		if err != nil {
			return nil, err
		}
		all = append(all, entry{name: "completions/" + name, data: script})
	}
	return all, nil
}

// manual returns the manual pages. lab/gen writes them to the new folder.
func manual(ctx context.Context, s stamp, folder string) ([]entry, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "go", "run", "-C", "lab", "./gen", "-man", folder, "-version", s.version)
	cmd.Env = append(host.environment(), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", s.time.Unix()))
	if _, err := output(cmd); err != nil {
		return nil, err
	}
	return tree(folder, "man/man1", nil)
}

// tree returns the file root, or the folder root's files, as entries under name. keep selects files; nil keeps all.
func tree(root, name string, keep func(name string) bool) ([]entry, error) {
	var entries []entry
	err := filepath.WalkDir(root, func(file string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || keep != nil && !keep(file) {
			return err
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		inside := strings.TrimPrefix(filepath.ToSlash(strings.TrimPrefix(file, root)), "/")
		entries = append(entries, entry{name: path.Join(name, inside), data: data})
		return nil
	})
	return entries, err
}

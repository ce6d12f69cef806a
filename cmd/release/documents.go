package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"strings"
)

var shells = map[string]string{
	"bash":       "tengen.bash",
	"fish":       "tengen.fish",
	"powershell": "tengen.ps1",
	"zsh":        "_tengen",
}

// addDocuments adds the documentation, manual pages and completions. It writes the manual pages to the new folder man.
func (f files) addDocuments(ctx context.Context, s stamp, man string) error {
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md", "config.yaml", "examples", "docs"} {
		err := f.add(name, name, 0o644, func(name string) bool {
			return path.Ext(name) != ".go" && !strings.HasPrefix(path.Base(name), "go.")
		})
		if err != nil {
			return err
		}
	}
	for shell, name := range shells {
		cmd := exec.CommandContext(ctx, "go", "run", "./cmd/tengen", "completion", shell)
		cmd.Env = host.environment()
		script, err := output(cmd)
		if err != nil {
			return err
		}
		f["completions/"+name] = file{script, 0o644}
	}
	return f.addManual(ctx, s, man)
}

// addManual adds the manual pages. A test of cmd/cli writes them, which keeps the generator out of the program.
func (f files) addManual(ctx context.Context, s stamp, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", "test", "./cmd/cli", "-run", "^TestManual$", "-man", folder, "-man-version", s.version)
	cmd.Env = append(host.environment(), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", s.time.Unix()))
	if _, err := output(cmd); err != nil {
		return err
	}
	return f.add(folder, "man/man1", 0o644, nil)
}

package main

import (
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// stamp is Go's record of a program's source.
type stamp struct {
	version string // a tag or a commit: "v0.0.0-20261122030915-0a29bf0c3a1d"
	time    time.Time
}

var host = target{system: runtime.GOOS, processor: runtime.GOARCH}

// environment returns the environment for building for t. It overrides the user's settings for Go.
func (t target) environment() []string {
	return append(os.Environ(), "GOOS="+t.system, "GOARCH="+t.processor, "CGO_ENABLED=0",
		"GOFLAGS=-buildvcs=true", "GOEXPERIMENT=", "GOAMD64=v1", "GOARM64=v8.0", "GOFIPS140=off", "GOWORK=off", "GOTOOLCHAIN=local")
}

func build(ctx context.Context, t target, folder string) ([]entry, stamp, error) {
	if t == browsers {
		return buildEngine(ctx, folder)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, stamp{}, err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-tags="+t.tags, "-o", folder, "./cmd/tengen", "./cmd/pbrain-tengen")
	cmd.Env = t.environment()
	if _, err := output(cmd); err != nil {
		return nil, stamp{}, err
	}
	programs, err := tree(folder, "", nil)
	if err != nil {
		return nil, stamp{}, err
	}
	for i := range programs {
		programs[i].executable = true
	}
	s, err := readStamp(filepath.Join(folder, programs[0].name))
	return programs, s, err
}

// buildEngine lets the program write a page, of which the release has the engine.
func buildEngine(ctx context.Context, folder string) ([]entry, stamp, error) {
	_, s, err := build(ctx, host, filepath.Join(folder, "host"))
	if err != nil {
		return nil, stamp{}, err
	}
	page := filepath.Join(folder, "page")
	cmd := exec.CommandContext(ctx, filepath.Join(folder, "host", "tengen"), "export", "page", page)
	cmd.Env = host.environment()
	if _, err := output(cmd); err != nil {
		return nil, stamp{}, err
	}
	engine, err := tree(page, "", func(file string) bool {
		return slices.Contains([]string{"tengen.wasm.gz", "wasm_exec.js"}, filepath.Base(file))
	})
	return engine, s, err
}

// readStamp returns a program's stamp. It fails if there is none, or if the source had uncommitted changes.
func readStamp(program string) (stamp, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return stamp{}, err
	}
	s := stamp{version: info.Main.Version}
	for _, setting := range info.Settings {
		switch {
		case setting.Key == "vcs.time":
			s.time, err = time.Parse(time.RFC3339, setting.Value)
		case setting.Key == "vcs.modified" && setting.Value != "false":
			return stamp{}, errors.New("git reports uncommitted changes: commit them, or build from a fresh clone")
		}
		if err != nil {
			return stamp{}, err
		}
	}
	if s.time.IsZero() {
		return stamp{}, errors.New("go has found no commit here: build from a git clone (a git worktree is not enough)")
	}
	return s, nil
}

// output runs a command and returns its standard output. Errors include its standard error.
func output(cmd *exec.Cmd) ([]byte, error) {
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, exit.Stderr)
	}
	return out, err
}

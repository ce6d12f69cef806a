// Command release makes a release's archives: for each system tengen and pbrain-tengen, the licences of everything linked
// into them, documentation, manual pages and completions, and a file of checksums.
//
//	go run -C lab ./release [-out DIR] [SYSTEM/PROCESSOR...]
//
// A commit gives the same bytes on every machine with the same version of Go: paths are trimmed, entries are sorted,
// and all times are the commit's. Go does not stamp programs in a git worktree, so release needs a clone without
// uncommitted changes.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
)

// target is a system and a processor. tags are for go build; they end the processor's name.
type target struct{ system, processor, tags string }

// String returns the name, as in "linux/amd64" and "linux/amd64-gpu".
func (t target) String() string { return t.system + "/" + t.folder() }

func (t target) folder() string {
	if t.tags != "" {
		return t.processor + "-" + t.tags
	}
	return t.processor
}

var targets = []target{
	{"linux", "amd64", ""}, {"linux", "arm64", ""},
	{"linux", "amd64", "gpu"}, {"linux", "arm64", "gpu"}, // linked to the C library
	{"darwin", "amd64", ""}, {"darwin", "arm64", ""},
	{"windows", "amd64", ""}, {"windows", "arm64", ""},
	browsers,
}

// browsers is the target of the engine of pages that have no server.
var browsers = target{"js", "wasm", ""}

func main() {
	out := flag.String("out", "dist", "folder for the archives, in the project's folder unless absolute; made if absent")
	flag.Usage = func() {
		fmt.Fprintf(flag.CommandLine.Output(), "usage: go run -C lab ./release [-out DIR] [SYSTEM/PROCESSOR...]\n\nwithout an argument for all of %v\n\n", targets)
		flag.PrintDefaults()
	}
	flag.Parse()
	chosen, err := choose(flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(2)
	}
	if err := os.Chdir(".."); err != nil { // from lab to the project's folder
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := release(ctx, *out, chosen); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func choose(names []string) ([]target, error) {
	if len(names) == 0 {
		return targets, nil
	}
	var chosen []target
	for _, name := range names {
		i := slices.IndexFunc(targets, func(t target) bool { return t.String() == name })
		if i < 0 {
			return nil, fmt.Errorf("no target is called %q: choose from %v", name, targets)
		}
		chosen = append(chosen, targets[i])
	}
	return chosen, nil
}

func release(ctx context.Context, out string, targets []target) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "tengen-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)

	var sums strings.Builder
	var common []entry // the same in all archives
	for _, t := range targets {
		programs, stamp, err := build(ctx, t, filepath.Join(scratch, t.system, t.folder()))
		if err != nil {
			return fmt.Errorf("%v: %w", t, err)
		}
		if common == nil {
			if common, err = documents(ctx, stamp, filepath.Join(scratch, "man")); err != nil {
				return err
			}
		}
		licences, err := licences(ctx, t)
		if err != nil {
			return fmt.Errorf("%v: %w", t, err)
		}
		name := fmt.Sprintf("tengen-%s-%s-%s", stamp.version, t.system, t.folder())
		entries := slices.Concat(programs, common, licences)
		if t == browsers {
			name, entries = fmt.Sprintf("tengen-%s-engine", stamp.version), slices.Concat(programs, licences)
		}
		sum, err := archive(out, name, t.system == "windows" || t == browsers, stamp.time, entries)
		if err != nil {
			return err
		}
		sums.WriteString(sum)
		fmt.Print(sum)
	}
	return os.WriteFile(filepath.Join(out, "SHA256SUMS"), []byte(sums.String()), 0o644)
}

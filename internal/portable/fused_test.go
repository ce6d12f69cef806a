package portable

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tengen/internal/fulltest"
)

// fused finds the place of a fused product and sum in the compiler's listing.
var fused = regexp.MustCompile(`\(([^()]+\.go:\d+)\)\tFN?M(?:ADD|SUB)[SD]\t`)

// measuring are the directories whose results do not reach a model or a move.
var measuring = regexp.MustCompile(`tengen/(?:eval|run|doors|cmd|internal/kernel/arithmetic\.go)\b`)

// TestNothingIsFused compiles the program for arm64, where the compiler may fuse any product and sum without an explicit
// conversion between them. Rounding once would give other models and moves than on amd64.
func TestNothingIsFused(t *testing.T) {
	fulltest.Only(t) // compiles all that tengen needs
	if out, err := goForARM("build", "math"); err != nil {
		t.Skipf("there is no compiler for arm64: %v\n%s", err, out)
	}
	// A cached result of this test depends on the directories that it reads.
	if err := filepath.WalkDir("../..", func(_ string, _ os.DirEntry, err error) error { return err }); err != nil {
		t.Fatal(err)
	}
	listing, err := goForARM("build", "-trimpath", "-gcflags=tengen/...=-S", "-o", os.DevNull, "tengen/cmd/tengen")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(listing, "FMULD") {
		t.Fatal("the listing has no product")
	}
	seen := map[string]bool{}
	for _, match := range fused.FindAllStringSubmatch(listing, -1) {
		place := match[1]
		if !seen[place] && strings.HasPrefix(place, "tengen/") && !measuring.MatchString(place) {
			t.Errorf("%s fuses a product and a sum: convert the product to its own type", place)
		}
		seen[place] = true
	}
}

func goForARM(args ...string) (output string, err error) {
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

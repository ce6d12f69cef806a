package main

import (
	"math"
	"os"
	"strings"
	"testing"

	"tengen/internal/fulltest"
)

// The page shows what the program prints, of which the first games are a sample.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../textbook.md")
	if err != nil {
		t.Fatal(err)
	}
	var printed strings.Builder
	if err := write(t.Context(), &printed, fulltest.Pick(2, math.MaxInt)); err != nil {
		t.Fatal(err)
	}
	for table := range strings.SplitSeq(strings.TrimSpace(printed.String()), "\n\n") {
		if !strings.Contains(string(page), "\n\n"+table+fulltest.Pick("\n", "\n\n")) {
			t.Errorf("docs/textbook.md does not have this table of `go run ./docs/textbook`:\n%s", table)
		}
	}
}

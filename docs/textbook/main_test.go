package main

import (
	"os"
	"strings"
	"testing"
)

// The page shows what the program prints.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../textbook.md")
	if err != nil {
		t.Fatal(err)
	}
	var printed strings.Builder
	if err := write(t.Context(), &printed); err != nil {
		t.Fatal(err)
	}
	for table := range strings.SplitSeq(strings.TrimSpace(printed.String()), "\n\n") {
		if !strings.Contains(string(page), "\n\n"+table+"\n\n") {
			t.Errorf("docs/textbook.md does not have this table of `go run ./docs/textbook`:\n%s", table)
		}
	}
}

package main

import (
	"flag"
	"math"
	"os"
	"strings"
	"testing"
)

var all = flag.Bool("all", false, "compare all rows of the tables, which takes a minute")

// The page has the tables that the program prints. Without -all, two games of each are compared.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../textbook.md")
	if err != nil {
		t.Fatal(err)
	}
	var printed strings.Builder
	rows, end := 2, "\n"
	if *all {
		rows, end = math.MaxInt, "\n\n"
	}
	if err := write(t.Context(), &printed, rows); err != nil {
		t.Fatal(err)
	}
	for table := range strings.SplitSeq(strings.TrimSpace(printed.String()), "\n\n") {
		if !strings.Contains(string(page), "\n\n"+table+end) {
			t.Errorf("textbook.md does not have this table of `go run ./textbook`:\n%s", table)
		}
	}
}

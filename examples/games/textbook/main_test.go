package main

import (
	"os"
	"strings"
	"testing"
)

// The page has the table that the program prints.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../textbook.md")
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	if err := write(t.Context(), &table); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "\n\n"+table.String()+"\n") {
		t.Errorf("textbook.md does not have this table of `go run ./textbook`:\n%s", &table)
	}
}

package cli

import (
	"fmt"
	"strings"
	"testing"

	"tengen/run"
)

// Lines end before column 81, words are whole, and a label is printed once.
func TestFacts(t *testing.T) {
	f := run.Facts{{"one", strings.Repeat("seven77 ", 12)}, {"one", "more"}, {"two", "x"}}
	want := "one         " + strings.Repeat("seven77 ", 7) + "seven77\n            seven77 seven77 seven77 seven77\n" +
		"            more\ntwo         x\n"
	if got := factsText(f); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got := fmt.Sprint(factsJSON(f[1:])); got != "map[one:[more] two:[x]]" {
		t.Error(got)
	}
}

package igo_test

import (
	"testing"

	"tengen/game/conformance"
	igo "tengen/game/go"
)

func TestConformance(t *testing.T) {
	for _, name := range []string{"2", "3", "3x2,1", "5", "9,6.5"} {
		g, err := igo.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range conformance.Check(g).Findings {
			if f.Level != conformance.Kept {
				t.Logf("%s: %s: %s: %s", g.Name(), f.Claim, f.Level, f.Text)
			}
		}
	}
}

package igo_test

import (
	"testing"

	"tengen/game/gametest"
	"tengen/internal/fulltest"
)

func TestConformance(t *testing.T) {
	for _, name := range []string{"2", "3", "3x2,1", "5", "9,6.5", fulltest.Pick("19x5,7", "19")} {
		t.Run(name, func(t *testing.T) { gametest.Run(t, parse(t, name)) })
	}
}

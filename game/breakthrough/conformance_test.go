package breakthrough_test

import (
	"testing"

	"tengen/game/gametest"
)

func TestConformance(t *testing.T) {
	for _, numbers := range []string{"3,5", "5,5", "6,6", "8,5", "3,8", "8,8"} {
		g := parse(t, numbers)
		t.Run(numbers, func(t *testing.T) { gametest.Run(t, g) })
	}
}

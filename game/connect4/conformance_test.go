package connect4_test

import (
	"testing"

	"tengen/game/conformance"
	"tengen/game/connect4"
	"tengen/game/gametest"
)

var parse = gametest.Parser(connect4.Parse)

func TestConformance(t *testing.T) {
	for _, numbers := range []string{
		"1,1,1", "2,1,2", "1,5,3", "64,1,4", "1,64,4",
		"4,4,4", "5,4,4", "7,6,4", "8,8,4", "9,7,4", "10,6,4", "6,10,5",
	} {
		g := parse(t, numbers)
		t.Run(numbers, func(t *testing.T) {
			if gametest.Run(t, g).Count(conformance.Remark) > 0 {
				t.Error("the games of tengen itself give no reason for a remark, such as on speed: go test -v shows it")
			}
		})
	}
}

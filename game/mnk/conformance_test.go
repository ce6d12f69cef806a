package mnk_test

import (
	"testing"

	"tengen/game/conformance"
	"tengen/game/gametest"
	"tengen/game/mnk"
	"tengen/internal/fulltest"
)

var parse = gametest.Parser(mnk.Parse)

func TestConformance(t *testing.T) {
	few := []string{
		"1,1,1", "1,7,2", "20,1,5", "3,4,3", "5,5,4", "8,8,5", "4,4,3,exact", "5,5,3,caro", "9,8,5,exact,caro", "20,20,5,caro",
	}
	more := []string{
		"5,1,3", "3,3,3", "4,4,3", "4,3,2", "6,6,4", "9,8,5", "15,15,5", "20,20,5",
		"6,6,4,exact,caro", "9,8,5,exact", "15,15,5,exact", "15,15,5,caro", "20,20,5,exact,caro",
	}
	for _, numbers := range fulltest.Pick(few, append(few, more...)) {
		g := parse(t, numbers)
		t.Run(numbers, func(t *testing.T) {
			if gametest.Run(t, g).Count(conformance.Remark) > 0 {
				t.Error("the games of tengen itself give no reason for a remark, such as on speed: go test -v shows it")
			}
		})
	}
}

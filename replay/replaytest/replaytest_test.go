package replaytest

import (
	"testing"

	"tengen/game/mnk"
	"tengen/internal/random"
	"tengen/replay"
)

func TestRandomRecord(t *testing.T) {
	outcomes := map[int8]bool{}
	for number := range uint64(100) {
		g := RandomRecord(mnk.TicTacToe(), number, random.New(1, random.Test, number))
		if err := replay.Validate(mnk.TicTacToe(), g); err != nil || g.Number != number {
			t.Errorf("game %d: %v", number, err)
		}
		outcomes[g.Outcome] = true
	}
	if len(outcomes) != 3 {
		t.Errorf("the outcomes are %v, want all three", outcomes)
	}
}

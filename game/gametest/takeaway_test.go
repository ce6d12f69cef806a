package gametest

import (
	"testing"

	"tengen/game"
	"tengen/game/nim"
)

// crooked is a position of Nim with a fault in how it shows itself.
type crooked struct {
	nim.State
	fault string
}

func (s crooked) Play(a game.Action) crooked { return crooked{s.State.Play(a), s.fault} }

func (s crooked) LastCell() int {
	if s.fault == "the last cell is the next one" && s.Last() != game.None {
		return s.State.LastCell() + 1
	}
	return s.State.LastCell()
}

func (s crooked) Cell(cell int) game.Side {
	if s.fault == "things are held" {
		return game.First
	}
	return s.State.Cell(cell)
}

func (s crooked) Thing(cell int) (text string, there bool) {
	text, there = s.State.Thing(cell)
	switch {
	case s.fault == "things stay":
		return text, true
	case s.fault == "things come back" && cell != s.LastCell():
		return text, there || s.Ply()%2 == 0
	case s.fault == "texts change" && s.Ply() > 1:
		return "1", there
	}
	return text, there
}

func (s crooked) Pick(a game.Action) int {
	switch s.fault {
	case "all moves pick one cell":
		return s.State.Pick(s.Legal(nil)[0])
	case "moves pick what is not there":
		return 0
	}
	return s.State.Pick(a)
}

type crookedNim struct {
	*nim.Game
	fault string
}

func (g crookedNim) Start() crooked { return crooked{g.Game.Start(), g.fault} }

// The claim about things finds each mistake in showing them, and none in the real game.
func TestThingsAreTaken(t *testing.T) {
	g, err := nim.New([]int{3, 2, 3}, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := taking(crookedNim{g, ""}); err != nil {
		t.Errorf("without a fault: %v", err)
	}
	for _, fault := range []string{
		"the last cell is the next one", "things are held", "things stay", "things come back", "texts change",
		"all moves pick one cell", "moves pick what is not there",
	} {
		if err := taking(crookedNim{g, fault}); err == nil {
			t.Errorf("%s: nothing was found", fault)
		}
	}
}

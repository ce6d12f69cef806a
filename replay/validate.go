package replay

import (
	"fmt"
	"slices"

	"tengen/game"
)

// Validate checks a record against the rules: every move and every visited move was legal, and the game ended as it
// says, by the rules or by resignation. The error names the game and what is wrong with it.
func Validate[S game.State[S]](rules game.Game[S], g *Record) error {
	err := g.check()
	if err == nil {
		err = followRules(rules, g)
	}
	if err != nil {
		return fmt.Errorf("game %d is not a valid record of %s: %w", g.Number, rules.Name(), err)
	}
	return nil
}

func followRules[S game.State[S]](rules game.Game[S], g *Record) error {
	state := rules.Start()
	var legal []game.Action
	for ply, a := range g.Moves {
		legal = state.Legal(legal[:0])
		if _, found := slices.BinarySearch(legal, a); !found {
			return fmt.Errorf("move %d (action %d) is illegal", ply+1, a)
		}
		if ply >= g.Opening {
			actions, _ := g.Visits.Row(ply - g.Opening)
			for _, visited := range actions {
				if _, found := slices.BinarySearch(legal, game.Action(visited)); !found {
					return fmt.Errorf("visits of the illegal action %d at ply %d", visited, ply)
				}
			}
		}
		state = state.Play(a)
	}
	z, over := state.Outcome()
	switch {
	case over && g.Resigned:
		return fmt.Errorf("resigned after the rules had ended it")
	case !over && !g.Resigned:
		return fmt.Errorf("stops after %d moves, before its end", len(g.Moves))
	case over && int8(z) != g.OutcomeAt(len(g.Moves)):
		return fmt.Errorf("outcome %d, the rules say %d for the side to move at the end", g.Outcome, int8(z))
	}
	return nil
}

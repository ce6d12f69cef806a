package conformance

import (
	"fmt"
	"slices"

	"tengen/game"
)

// permutations checks that the symmetries permute cells and moves, and begin with the identity.
func permutations[S game.State[S]](g game.Game[S]) error {
	all := g.Symmetries()
	for i, s := range all {
		if !permutes(s.Cells, g.Board().Cells()) || !permutes(s.Actions, g.Actions()) {
			return fmt.Errorf("symmetry %d is not a permutation of the cells and the moves: %v", i, s)
		}
	}
	if len(all) == 0 || !slices.IsSorted(all[0].Cells) || !slices.IsSorted(all[0].Actions) {
		return fmt.Errorf("the first of %d symmetries is not the identity", len(all))
	}
	return nil
}

// symmetryGroup checks that the symmetries are closed under composition.
func symmetryGroup[S game.State[S]](g game.Game[S]) error {
	all := g.Symmetries()
	for i, a := range all {
		for j, b := range all {
			composed := compose(a, b)
			if !slices.ContainsFunc(all, func(c game.Symmetry) bool {
				return slices.Equal(c.Cells, composed.Cells) && slices.Equal(c.Actions, composed.Actions)
			}) {
				return fmt.Errorf("symmetry %d followed by %d is not a symmetry", i, j)
			}
		}
	}
	return nil
}

func permutes[E ~int32](p []E, n int) bool {
	sorted := slices.Sorted(slices.Values(p))
	for i, v := range sorted {
		if int(v) != i {
			return false
		}
	}
	return len(p) == n
}

// compose returns a followed by b.
func compose(a, b game.Symmetry) game.Symmetry {
	c := game.Symmetry{Cells: slices.Clone(a.Cells), Actions: slices.Clone(a.Actions)}
	for i, j := range a.Cells {
		c.Cells[i] = b.Cells[j]
	}
	for i, j := range a.Actions {
		c.Actions[i] = b.Actions[j]
	}
	return c
}

// symmetryRules plays games together with their images, and checks after each move that they are still images.
func symmetryRules[S game.State[S]](g game.Game[S]) error {
	all := g.Symmetries()
	images := make([]S, len(all))
	return visit(g, func(moves []game.Action, s S) error {
		for i, symmetry := range all {
			if len(moves) == 0 {
				images[i] = game.StartImage(g, i)
			} else {
				images[i] = images[i].Play(symmetry.Actions[moves[len(moves)-1]])
			}
			if err := isImage(g, symmetry, s, images[i]); err != nil {
				var turned []game.Action
				for _, a := range moves {
					turned = append(turned, symmetry.Actions[a])
				}
				return fmt.Errorf("symmetry %d does not keep the rules: %w; there is the position %s",
					i, err, after(game.StartImage(g, i), turned))
			}
		}
		return nil
	})
}

func isImage[S game.State[S]](g game.Game[S], symmetry game.Symmetry, s, image S) error {
	here, there := s.Legal(nil), image.Legal(nil)
	for _, a := range here {
		if b := symmetry.Actions[a]; !slices.Contains(there, b) {
			return fmt.Errorf("there it maps the legal move %s to move number %d, which is illegal: legal are %s", s.Format(a), b, game.LegalMoves(image))
		}
	}
	if len(here) != len(there) {
		return fmt.Errorf("there %d moves are legal, here %d", len(there), len(here))
	}
	if !sameResult(s, image) {
		return fmt.Errorf("there %s, here %s", outcomeText(image), outcomeText(s))
	}
	want := make([]float32, game.InputLen(g))
	symmetry.Apply(want, encode(g, s))
	if err := samePlanes(g, encode(g, image), want); err != nil {
		return fmt.Errorf("there %w, as in the image of the planes here", err)
	}
	return nil
}

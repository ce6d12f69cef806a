package gametest

import (
	"fmt"
	"slices"

	"tengen/game"
)

// symmetryGroup checks that the symmetries are permutations, begin with the identity and are closed under
// composition.
func symmetryGroup[S game.State[S]](g game.Game[S]) error {
	all := g.Symmetries()
	for i, s := range all {
		if !permutes(s.Cells, g.Board().Cells()) || !permutes(s.Actions, g.Actions()) {
			return fmt.Errorf("symmetry %d is not a permutation of the cells and the actions: %v", i, s)
		}
	}
	if len(all) == 0 || !slices.IsSorted(all[0].Cells) || !slices.IsSorted(all[0].Actions) {
		return fmt.Errorf("the first of %d symmetries is not the identity", len(all))
	}
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
				return fmt.Errorf("symmetry %d: %w", i, err)
			}
		}
		return nil
	})
}

func isImage[S game.State[S]](g game.Game[S], symmetry game.Symmetry, s, image S) error {
	z, over := s.Outcome()
	if imageZ, imageOver := image.Outcome(); imageZ != z || imageOver != over {
		return fmt.Errorf("the outcome is %v, %t; the image has %v, %t", z, over, imageZ, imageOver)
	}
	policy := make([]float32, g.Actions())
	symmetry.ApplyPolicy(policy, legalMask(g, s))
	if !slices.Equal(policy, legalMask(g, image)) {
		return fmt.Errorf("the legal moves of the image are %v; want the images of %v", image.Legal(nil), s.Legal(nil))
	}
	planes := make([]float32, game.InputLen(g))
	symmetry.Apply(planes, encode(g, s))
	if !slices.Equal(planes, encode(g, image)) {
		return fmt.Errorf("the planes of the image are not the image of the planes")
	}
	return nil
}

func legalMask[S game.State[S]](g game.Game[S], s S) []float32 {
	mask := make([]float32, g.Actions())
	for _, a := range s.Legal(nil) {
		mask[a] = 1
	}
	return mask
}

package solver

import "tengen/game"

// line is the line of play under search: a frame for each ply of the game, allocated once.
//
// It folds symmetric positions without a way to transform one: where a symmetry maps the root onto itself, it maps each
// position below the root onto the one that the mapped moves lead to. So the line plays all images side by side, and
// the smallest of their keys is the key of them all.
type line[S game.State[S]] struct {
	possible   []game.Symmetry // the identity and, where asked for and possible, the game's others
	symmetries []game.Symmetry // those of them that map the root onto itself, the identity first
	frames     []frame[S]      // by ply, from 0 to Game.MaxPlies
	root       *S
	board      game.Placement // the root, nil when the game has no such positions
}

// frame is one position of the line and what the search keeps with it.
type frame[S any] struct {
	images  []S           // the position and its images by the line's other symmetries
	moves   []game.Action // capacity for all moves of the game
	ranks   []int         // of moves, while they are put in order
	killers [2]game.Action
	// estimator is images[0], nil when the game has no estimates. It points into images, because to make an interface of
	// a position itself would allocate.
	estimator Estimator
}

// newLine allocates frames for all plies of a game. It folds symmetric positions if asked to, and if they are made of stones
// alone: then the stones tell whether a symmetry maps the root onto itself.
func newLine[S game.State[S]](g game.Game[S], fold bool) *line[S] {
	l := &line[S]{
		possible: g.Symmetries()[:1],
		frames:   make([]frame[S], g.MaxPlies()+1),
		root:     new(S),
	}
	l.board, _ = any(l.root).(game.Placement)
	if fold && l.board != nil {
		l.possible = g.Symmetries()
	}
	for i := range l.frames {
		f := &l.frames[i]
		f.images = make([]S, len(l.possible))
		f.moves = make([]game.Action, 0, g.Actions())
		f.ranks = make([]int, g.Actions())
		f.estimator, _ = any(&f.images[0]).(Estimator)
	}
	return l
}

// start makes s the root and returns its ply.
func (l *line[S]) start(s S) (ply int) {
	*l.root, ply = s, s.Ply()
	l.symmetries = l.symmetries[:0]
	for i, symmetry := range l.possible {
		if i == 0 || l.keepsRoot(symmetry) {
			l.frames[ply].images[len(l.symmetries)] = s
			l.symmetries = append(l.symmetries, symmetry)
		}
	}
	return ply
}

// keepsRoot reports whether the symmetry maps the root's stones onto themselves.
func (l *line[S]) keepsRoot(symmetry game.Symmetry) bool {
	for cell, image := range symmetry.Cells {
		if l.board.Cell(cell) != l.board.Cell(int(image)) {
			return false
		}
	}
	return true
}

// play makes the move a in the position at ply.
func (l *line[S]) play(ply int, a game.Action) {
	from, to := l.frames[ply].images, l.frames[ply+1].images
	for i := range l.symmetries {
		to[i] = from[i].Play(l.symmetries[i].Actions[a])
	}
}

// key is the one key of the position at ply and all its images, and which of them has it.
func (l *line[S]) key(ply int) (key game.Key, image int) {
	images := l.frames[ply].images
	key = images[0].Key()
	for i := 1; i < len(l.symmetries); i++ {
		if k := images[i].Key(); k[0] < key[0] || k[0] == key[0] && k[1] < key[1] {
			key, image = k, i
		}
	}
	return key, image
}

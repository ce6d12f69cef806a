package solver

import "tengen/game"

// line is the line of play under search: a frame for each ply, allocated when the ply is first reached.
//
// A symmetry that maps the root onto itself maps each later position onto the one that the mapped moves reach. The line
// plays all these images, and their smallest key identifies them.
type line[S game.State[S]] struct {
	actions    int             // Game.Actions
	possible   []game.Symmetry // the identity and, in placement games, the others
	symmetries []game.Symmetry // those that map the root onto itself, identity first
	frames     []frame[S]      // by ply, to Game.MaxPlies
	root       *S
	board      game.Placement // the root, or nil if not a placement
}

// frame is a position of the line.
type frame[S any] struct {
	images  []S           // by symmetry of the line
	moves   []game.Action // with capacity for all
	endings []game.Action // with capacity for all: of moves, those that may end the game
	ranks   []int         // of moves
	killers [2]game.Action
	// estimator and ending are images[0], or nil if the game has no such methods. That saves an allocation per position.
	estimator Estimator
	ending    game.Ending
}

// newLine folds only placements, whose stones show whether a symmetry maps the root onto itself.
func newLine[S game.State[S]](g game.Game[S]) *line[S] {
	l := &line[S]{
		actions:  g.Actions(),
		possible: g.Symmetries()[:1],
		frames:   make([]frame[S], g.MaxPlies()+1),
		root:     new(S),
	}
	l.board, _ = any(l.root).(game.Placement)
	if l.board != nil {
		l.possible = g.Symmetries()
	}
	return l
}

// reach makes the frame of a ply, unless the line has reached it before.
func (l *line[S]) reach(ply int) {
	f := &l.frames[ply]
	if f.images != nil {
		return
	}
	f.images = make([]S, len(l.possible))
	f.moves = make([]game.Action, 0, l.actions)
	f.ranks = make([]int, l.actions)
	f.estimator, _ = any(&f.images[0]).(Estimator)
	f.ending, _ = any(&f.images[0]).(game.Ending)
	f.endings = make([]game.Action, 0, l.actions)
}

func (l *line[S]) start(s S) (ply int) {
	*l.root, ply = s, s.Ply()
	l.symmetries = l.symmetries[:0]
	l.reach(ply)
	for i, symmetry := range l.possible {
		if i == 0 || l.keepsRoot(symmetry) {
			l.frames[ply].images[len(l.symmetries)] = s
			l.symmetries = append(l.symmetries, symmetry)
		}
	}
	return ply
}

func (l *line[S]) keepsRoot(symmetry game.Symmetry) bool {
	for cell, image := range symmetry.Cells {
		if l.board.Cell(cell) != l.board.Cell(int(image)) {
			return false
		}
	}
	return true
}

// play fills the frame at ply+1, which must have been reached.
func (l *line[S]) play(ply int, a game.Action) {
	from, to := l.frames[ply].images, l.frames[ply+1].images
	for i := range l.symmetries {
		to[i] = from[i].Play(l.symmetries[i].Actions[a])
	}
}

// key returns the smallest key of the images at ply, and its index.
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

package replay

import (
	"math/rand/v2"

	"tengen/game"
)

// Batch holds training samples, row by row, in the layout of the network's inputs.
type Batch struct {
	Planes []float32 // [B, planes, H, W]: encoded positions
	Pi     []float32 // [B, Actions]: policy targets, each sums to 1 or is all 0 and adds no loss
	Legal  []float32 // [B, Actions]: 1 for legal moves, else 0
	Z      []float32 // [B]: value targets in [-1, 1] for the side to move, see Config.valueTargets

	// Targets maps each auxiliary head's name to its targets, [B, n].
	Targets map[string][]float32
}

// targets maps each head's name to the function that writes its target, [n], for the position before a ply, turned by
// the symmetry.
var targets = map[string]func(dst []float32, g *windowGame, ply int, symmetry game.Symmetry){
	"reply":       replyTarget,
	"soft_policy": softPolicyTarget,
	ownership:     ownershipTarget,
}

// NewBatch returns a batch of size samples, without auxiliary targets. input is the length of an encoded position, see
// game.InputLen.
func NewBatch(size, input, actions int) *Batch {
	return &Batch{
		Planes: make([]float32, size*input),
		Pi:     make([]float32, size*actions),
		Legal:  make([]float32, size*actions),
		Z:      make([]float32, size),
	}
}

// Sample overwrites the batch with samples drawn with replacement. A position's probability is proportional to its
// weight. Each sample is turned by a random symmetry of the board. Config.SidePositions replaces some samples with side
// positions. Sample allocates nothing except windowGame.owners. It panics if the window is empty. The batch must fit the
// game and have only targets that this file names.
func (w *Window[S]) Sample(rng *rand.Rand, b *Batch) {
	symmetries := w.rules.Symmetries()
	for i := range b.Z {
		g, ply := w.locate(rng.Uint64N(w.weight()))
		symmetry := symmetries[rng.IntN(len(symmetries))]
		if beside, ok := g.sidePosition(ply); ok && rng.Float64() < w.cfg.SidePositions {
			w.fillSidePosition(b, i, g, ply, beside, symmetry)
		} else {
			w.fill(b, i, g, ply, symmetry)
		}
	}
}

// Newest overwrites the batch with samples of the newest games, spaced evenly over their weights and not turned. It
// returns the number of rows, at most the number of the games' positions. Nothing is random.
func (w *Window[S]) Newest(games int, b *Batch) (rows int) {
	first := w.before(max(0, len(w.games)-games))
	rows = min(len(b.Z), int(w.Positions()-first.positions))
	for i := range rows {
		share := (w.end().weight - first.weight) * uint64(2*i+1) / uint64(2*rows)
		g, ply := w.locate(first.weight - w.start.weight + share)
		w.fill(b, i, g, ply, w.rules.Symmetries()[0])
	}
	return rows
}

// fill writes the position before the given ply of g and its targets, turned by the symmetry, to row i.
func (w *Window[S]) fill(b *Batch, i int, g *windowGame, ply int, symmetry game.Symmetry) {
	w.fillPosition(b, i, w.position(g.Record, ply), symmetry)
	pi := row(b.Pi, i, w.rules.Actions())
	clear(pi)
	for a, share := range g.Policy.Shares(ply - g.Opening) {
		pi[symmetry.Actions[a]] = share
	}

	b.Z[i] = g.z(ply)

	if b.Targets[ownership] != nil && g.owners == nil {
		g.owners = w.owners(g.Record)
	}
	for name, rows := range b.Targets {
		targets[name](row(rows, i, len(rows)/len(b.Z)), g, ply, symmetry)
	}
}

// fillSidePosition writes the side position of the given ply of g, turned by the symmetry, to row i. Its only target is
// the value.
func (w *Window[S]) fillSidePosition(b *Batch, i int, g *windowGame, ply int, beside sidePosition, symmetry game.Symmetry) {
	w.fillPosition(b, i, w.position(g.Record, ply).Play(game.Action(beside.move)), symmetry)
	clear(row(b.Pi, i, w.rules.Actions()))
	b.Z[i] = float32(beside.result)
	for _, rows := range b.Targets {
		clear(row(rows, i, len(rows)/len(b.Z)))
	}
}

// position returns the position before the given ply of g.
func (w *Window[S]) position(g *Record, ply int) S {
	state := w.rules.Start()
	for _, a := range g.Moves[:ply] {
		state = state.Play(a)
	}
	return state
}

// fillPosition writes a position, turned by the symmetry, and its legal moves to row i.
func (w *Window[S]) fillPosition(b *Batch, i int, state S, symmetry game.Symmetry) {
	state.Encode(w.planes)
	symmetry.Apply(row(b.Planes, i, len(w.planes)), w.planes)

	legal := row(b.Legal, i, w.rules.Actions())
	clear(legal)
	w.legal = state.Legal(w.legal[:0])
	for _, a := range w.legal {
		legal[symmetry.Actions[a]] = 1
	}
}

func row(s []float32, i, length int) []float32 {
	return s[i*length : (i+1)*length]
}

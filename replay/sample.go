package replay

import (
	"math/rand/v2"

	"tengen/game"
	"tengen/internal/parallel"
)

// targets maps each head's name to the function that writes its target, [n], for the position before a ply, as the view
// shows it.
var targets = map[string]func(dst []float32, g *windowGame, ply int, v view){
	game.Reply:     replyTarget,
	game.Occupancy: occupancyTarget,
}

// view says how a sample numbers the cells and moves of its position: turned by the symmetry.
type view struct {
	game.Symmetry
	replies []game.Action // [actions] the opponent's move a has number replies[a] before the symmetry
}

// pick is a sample that is drawn but not yet written to a batch.
type pick struct {
	game     *windowGame
	ply      int
	symmetry game.Symmetry
}

// Sample overwrites the batch with samples drawn with replacement. A position's probability is proportional to its
// weight. Each sample is turned by a random symmetry of the board. All cores write the rows, but one draws them, so the
// batch depends only on the window and the generator. Sample panics if the window is empty. The batch must fit the game
// and have only targets that this file names.
func (w *Window[S]) Sample(rng *rand.Rand, b *game.Batch) {
	symmetries := w.rules.Symmetries()
	w.picks = w.picks[:0]
	for range b.Z {
		g, ply := w.locate(rng.Uint64N(w.weight()))
		w.picks = append(w.picks, pick{game: g, ply: ply, symmetry: symmetries[rng.IntN(len(symmetries))]})
	}
	w.write(b)
}

// Newest overwrites the batch with samples of the newest games, spaced evenly over their weights and not turned. It
// returns the number of rows, at most the number of the games' positions. Nothing is random.
func (w *Window[S]) Newest(games int, b *game.Batch) (rows int) {
	first := w.before(max(0, len(w.games)-games))
	rows = min(len(b.Z), int(w.Positions()-first.positions))
	w.picks = w.picks[:0]
	for i := range rows {
		share := (w.end().weight - first.weight) * uint64(2*i+1) / uint64(2*rows)
		g, ply := w.locate(first.weight - w.start.weight + share)
		w.picks = append(w.picks, pick{game: g, ply: ply, symmetry: w.rules.Symmetries()[0]})
	}
	w.write(b)
	return rows
}

// write writes the picks to the batch's first rows, on all cores.
func (w *Window[S]) write(b *game.Batch) {
	for name := range b.Targets {
		if targets[name] == nil {
			panic("replay: no target is named " + name)
		}
	}
	if b.Targets[game.Occupancy] != nil {
		for _, p := range w.picks {
			if p.game.owners == nil {
				p.game.owners = ownersOf(w.rules, p.game.Record)
			}
		}
	}
	writers := len(w.writers)
	parallel.For(writers, func(k int) {
		for i := len(w.picks) * k / writers; i < len(w.picks)*(k+1)/writers; i++ {
			w.writers[k].write(b, i, w.picks[i])
		}
	})
}

// writer writes samples to batches. It is not safe for concurrent use.
type writer[S game.State[S]] struct {
	rules   game.Game[S]
	replies replies
	planes  []float32     // [Planes, H, W], scratch
	legal   []game.Action // scratch
}

func newWriter[S game.State[S]](rules game.Game[S]) *writer[S] {
	return &writer[S]{
		rules:   rules,
		replies: repliesOf(rules),
		planes:  make([]float32, game.InputLen(rules)),
		legal:   make([]game.Action, 0, rules.Actions()),
	}
}

// write writes the position before the pick's ply, its legal moves and its targets, turned by the symmetry, to row i.
func (w *writer[S]) write(b *game.Batch, i int, p pick) {
	g, state, actions := p.game, position(w.rules, p.game.Record, p.ply), w.rules.Actions()
	state.Encode(w.planes)
	p.symmetry.Apply(row(b.Planes, i, len(w.planes)), w.planes)
	legal, pi := row(b.Legal, i, actions), row(b.Pi, i, actions)
	clear(legal)
	w.legal = state.Legal(w.legal[:0])
	for _, a := range w.legal {
		legal[p.symmetry.Actions[a]] = 1
	}
	clear(pi)
	for a, share := range g.Policy.Shares(p.ply - g.Opening) {
		pi[p.symmetry.Actions[a]] = share
	}
	b.Z[i] = g.z(p.ply)
	for name, rows := range b.Targets {
		targets[name](row(rows, i, len(rows)/len(b.Z)), g, p.ply, view{p.symmetry, w.replies[p.ply%2]})
	}
}

// position returns the position before the given ply of g.
func position[S game.State[S]](rules game.Game[S], g *Record, ply int) S {
	state := rules.Start()
	for _, a := range g.Moves[:ply] {
		state = state.Play(a)
	}
	return state
}

func row(s []float32, i, length int) []float32 {
	return s[i*length : (i+1)*length]
}

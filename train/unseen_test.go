package train

import (
	"math"
	"path/filepath"
	"testing"

	"tengen/game/mnk"
	"tengen/internal/parallel"
	"tengen/net"
	"tengen/replay"
	"tengen/train/checkpoint"
)

// The unseen losses that a run reports are those of the weights before the iteration's steps, on all positions of its
// games if they are few.
func TestUnseenLossesInMetrics(t *testing.T) {
	path := t.TempDir()
	noError(t, newRun().in(t, path))
	window := testWindow()
	players := []int{0, 0, 2} // the first iteration learns nothing
	for i, m := range readMetrics(t, path) {
		model, err := net.LoadModel(filepath.Join(path, checkpoint.ModelName(players[i])))
		noError(t, err)
		fresh := 0
		for n := range uint64(3) {
			g := fakeGame(uint64(3*i)+n, uint64(players[i]), fingerprint(model.Weights))
			fresh += g.Positions()
			noError(t, window.Add(g))
		}
		if m.Learning == nil {
			continue
		}
		trainer := net.NewTrainer(model.Weights, fresh, 1, parallel.NewPool(1))
		if rows := window.Newest(3, trainer.Batch()); rows != fresh {
			t.Fatalf("%d rows of %d positions", rows, fresh)
		}
		want, err := trainer.Run()
		noError(t, err)
		value, policy := float64(want.Terms[0].Loss), float64(want.Terms[1].Loss)
		if math.Abs(m.UnseenValueLoss-value) > 1e-5 || math.Abs(m.UnseenPolicyLoss-policy) > 1e-5 {
			t.Errorf("iteration %d: unseen losses %+v, want %v and %v", i+1, m.Unseen, value, policy)
		}
	}
}

// Measuring leaves the learner as it was. More games than a window holds are all that it holds.
func TestUnseenLossesChangeNothing(t *testing.T) {
	w := replay.NewWindow(mnk.TicTacToe(), replay.Default(), nil)
	for n := range uint64(120) { // more than unseenRows positions
		noError(t, w.Add(fakeGame(n, 0, 0)))
	}
	l := newTestLearner(t, testConfig())
	steps(t, l, w, 2)
	plain := fingerprint(l.weights)

	l = newTestLearner(t, testConfig())
	unseen, err := l.unseenLosses(w, 120)
	noError(t, err)
	if again, _ := l.unseenLosses(w, 1000); again != unseen {
		t.Errorf("losses %+v, then %+v", unseen, again)
	}
	steps(t, l, w, 2)
	if fingerprint(l.weights) != plain {
		t.Error("measuring changed the learner")
	}
	if later, _ := l.unseenLosses(w, 120); later == unseen {
		t.Error("the losses are of the weights before the steps")
	}
}

// Weights that give no finite loss are an error.
func TestUnseenLossesAreFinite(t *testing.T) {
	l := newTestLearner(t, testConfig())
	l.weights.Params[0].Data[0] = float32(math.NaN())
	_, err := l.unseenLosses(filledWindow(t), 3)
	wantError(t, err, "training diverged at step 0: the losses on new positions are NaN")
}

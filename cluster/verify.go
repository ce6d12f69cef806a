package cluster

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"

	"tengen/cluster/access"
	"tengen/net"
	"tengen/replay"
	"tengen/selfplay"
	"tengen/train"
)

// This file holds workers to their word. A game follows from the run's seed, the worker's name, its number and its model; so a
// share of the games is played again here, and each has to come out the same to the byte.

// Replayer plays games again; selfplay.Pool.Replay says how.
type Replayer interface {
	Replay(ctx context.Context, model uint64, w *net.Weights, games []selfplay.ID, finished func(*replay.Record) error) (replay.Stats, error)
}

// VerifyConfig says which games of workers a Coordinator has played again, and by whom.
type VerifyConfig struct {
	// Share of the games, from 0 to 1. 0: none, and nothing else here is needed but Caught and Gated.
	Share float64
	// Secret decides together with a game's worker and number whether it is played again: nobody who does not know it can tell
	// beforehand, and a run that goes on decides as before.
	Secret string
	// Caught is the file of the workers that are kept out for what they have sent. Empty: they are forgotten when the process ends.
	Caught access.CaughtFile
	// Gated says that the run's server has a gate, which cuts off who is in that file; else somebody has to do it.
	Gated bool
	// Open returns a player for the run by an instruction set, see net.NewEvaluatorOn.
	Open func(s Settings, set string) (Replayer, error)
	// Weights are those of an earlier model of the run, by the iteration that made it.
	Weights func(model uint64) (*net.Weights, error)
}

// verifier plays a share of the games again, and keeps the list of the workers that were caught. It is not safe for concurrent
// use.
type verifier struct {
	cfg       VerifyConfig
	settings  Settings
	report    func(error)
	trusted   map[string]bool // workers that are not looked at
	caught    []access.Caught
	garbage   map[string]int // messages that were no games, by worker
	counted   uint64         // sequence number up to which they were counted
	models    map[uint64]*net.Weights
	replayers map[string]Replayer // by instruction set
	told      map[string][]string // by worker, why games of it could not be played again
	settled   map[uint64]bool     // sequence numbers of games that need no second look, since the last call of take
	done      train.Verified      // since the last call of take
}

// heldModels is the number of models that are kept in memory, the newest. What is older is read again.
const heldModels = 4

func newVerifier(cfg VerifyConfig, settings Settings, report func(error)) (*verifier, error) {
	caught, err := cfg.Caught.Read()
	return &verifier{
		cfg: cfg, settings: settings, report: report, caught: caught,
		trusted: map[string]bool{train.LocalWorker: true}, // it has played the games of a run before workers could join
		models:  map[uint64]*net.Weights{}, replayers: map[string]Replayer{}, told: map[string][]string{}, settled: map[uint64]bool{},
		garbage: map[string]int{},
	}, err
}

// publish tells of the newest model.
func (v *verifier) publish(model uint64, w *net.Weights) {
	if v.cfg.Share == 0 {
		return
	}
	v.models[model] = w
	for len(v.models) > heldModels {
		oldest := model
		for m := range v.models {
			oldest = min(oldest, m)
		}
		delete(v.models, oldest)
	}
}

// take returns what was done since its last call.
func (v *verifier) take() train.Verified {
	done := v.done
	v.done, v.settled = train.Verified{}, map[uint64]bool{}
	return done
}

// check plays those of the games again whose turn it is, and notes the workers of games that come out otherwise, whose games after
// the sequence number since are not to be used. It reports whether there are any.
func (v *verifier) check(ctx context.Context, since uint64, games []replay.Entry) (found bool, err error) {
	start := time.Now()
	defer func() { v.done.Time += time.Since(start) }()
	for _, batch := range v.batches(games) {
		again, err := v.replay(ctx, batch.kind, batch.games)
		if err != nil {
			return found, err
		}
		for i, e := range batch.games {
			if v.allow(e) != nil {
				continue // another game of its worker was false
			}
			same, err := v.compare(ctx, batch.kind, e, again[i])
			if err != nil {
				return found, err
			}
			if same {
				v.settled[e.Sequence] = true
				v.done.Games++
				continue
			}
			found = true
			if err := v.catch(since, e, again[i]); err != nil {
				return found, err
			}
		}
	}
	return found, nil
}

// drawn reports whether a game is one of those to play again.
func (v *verifier) drawn(e replay.Entry) bool {
	if v.cfg.Share == 0 || v.trusted[e.Worker] {
		return false
	}
	mac := hmac.New(sha256.New, []byte(v.cfg.Secret))
	mac.Write(binary.LittleEndian.AppendUint64(nil, e.Game.Number))
	mac.Write([]byte(e.Worker))
	return float64(binary.LittleEndian.Uint64(mac.Sum(nil)))/math.MaxUint64 < v.cfg.Share || v.cfg.Share == 1
}

// kind is what games have in common that are played in one batch.
type kind struct {
	model uint64
	set   string // of instructions
}

type replayBatch struct {
	kind  kind
	games []replay.Entry
}

// batches sorts out the games to play again, and counts those that cannot be.
func (v *verifier) batches(games []replay.Entry) (all []replayBatch) {
	for _, e := range games {
		if v.settled[e.Sequence] || !v.drawn(e) {
			continue
		}
		set, ok := net.Repeats(e.Game.Arithmetic)
		if !ok {
			v.skip(e, fmt.Errorf("it was played by the arithmetic %q, which this machine does not have", e.Game.Arithmetic))
			continue
		}
		k := kind{e.Game.Model, set}
		if _, err := v.weights(k.model); err != nil {
			v.skip(e, err)
			continue
		}
		i := slices.IndexFunc(all, func(b replayBatch) bool { return b.kind == k })
		if i < 0 {
			i, all = len(all), append(all, replayBatch{kind: k})
		}
		all[i].games = append(all[i].games, e)
	}
	return all
}

// mostReasons is how many reasons are told for each worker, as it can name a new arithmetic in each game.
const mostReasons = 3

// skip counts a game that cannot be played again, and says why, once for each reason.
func (v *verifier) skip(e replay.Entry, why error) {
	v.settled[e.Sequence] = true
	v.done.Skipped++
	if told := v.told[e.Worker]; len(told) < mostReasons && !slices.Contains(told, why.Error()) {
		v.told[e.Worker] = append(told, why.Error())
		v.report(fmt.Errorf("game %d of worker %s is not verified, nor others like it: %w", e.Game.Number, e.Worker, why))
	}
}

// weights are those of a model, from memory or from where VerifyConfig says.
func (v *verifier) weights(model uint64) (*net.Weights, error) {
	if w := v.models[model]; w != nil {
		return w, nil
	}
	if v.cfg.Weights == nil {
		return nil, fmt.Errorf("model %d is not kept", model)
	}
	w, err := v.cfg.Weights(model)
	if err != nil {
		return nil, err
	}
	v.models[model] = w
	return w, nil
}

// replay plays games again, and returns them in the same order.
func (v *verifier) replay(ctx context.Context, k kind, games []replay.Entry) ([]*replay.Record, error) {
	w, err := v.weights(k.model)
	if err != nil {
		return nil, err
	}
	r := v.replayers[k.set]
	if r == nil {
		if r, err = v.cfg.Open(v.settings, k.set); err != nil {
			return nil, err
		}
		v.replayers[k.set] = r
	}
	ids := make([]selfplay.ID, len(games))
	for i, e := range games {
		ids[i] = selfplay.ID{Seed: seedOf(v.settings.Seed, e.Worker), Number: e.Game.Number}
	}
	finished := make(chan *replay.Record, len(games))
	_, err = r.Replay(ctx, k.model, w, ids, func(g *replay.Record) error {
		finished <- g
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("cannot verify games: %w", err)
	}
	close(finished)
	again := make([]*replay.Record, len(games))
	for g := range finished {
		i := slices.Index(ids, selfplay.ID{Seed: g.Seed, Number: g.Number})
		g.Seed, g.Arithmetic = v.settings.Seed, games[i].Game.Arithmetic
		if games[i].Game.Evaluations == 0 { // of a worker that does not tell their checksum yet
			g.Evaluations = 0
		}
		again[i] = g
	}
	return again, nil
}

// compare reports whether a game came out the same. Before it says no, the game is played once more: a machine that does not agree
// with itself has no right to judge, and says so.
func (v *verifier) compare(ctx context.Context, k kind, e replay.Entry, again *replay.Record) (same bool, err error) {
	if same, err := equal(e.Game, again); same || err != nil {
		return same, err
	}
	delete(v.replayers, k.set) // a new player remembers none of the evaluations that the first may have got wrong
	once, err := v.replay(ctx, k, []replay.Entry{e})
	if err != nil {
		return false, err
	}
	agrees, err := equal(once[0], again)
	if err == nil && !agrees {
		err = fmt.Errorf("game %d of worker %s came out in two ways when it was played twice here (%s): "+
			"memory or processor of this machine are faulty, or the program is", e.Game.Number, e.Worker, replay.Difference(once[0], again))
	}
	return false, err
}

// equal reports whether two games are written with the same bytes.
func equal(g, other *replay.Record) (bool, error) {
	a, err := g.MarshalBinary()
	if err != nil {
		return false, err
	}
	b, err := other.MarshalBinary()
	return bytes.Equal(a, b), err
}

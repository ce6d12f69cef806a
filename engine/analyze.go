package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"tengen/game"
	"tengen/internal/limits"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/players"
)

// AnalyzeConfig configures Game.Analyze.
type AnalyzeConfig struct {
	Workers int    // goroutines, 1 to 1024
	Seed    uint64 // of random choices
}

// Question asks for an analysis. A finished game is an error.
type Question struct {
	Position Position
	Err      error // why the position cannot be analyzed; its answer has a nil Analysis
}

// largestGroup is the maximum number of positions per call to a player.
const largestGroup = 32

// Analyze analyzes together the questions that wait, as many as fill a network's batches. An answer never waits for
// later questions and does not depend on the groups.
func (e Typed[S]) Analyze(
	ctx context.Context, c AnalyzeConfig, p Player, questions <-chan Question, answer func(Question, *players.Analysis) error,
) error {
	if err := limits.Int("workers", c.Workers, 1, 1024); err != nil {
		return InputError{err}
	}
	defer p.Close()
	var workers []players.Answerer[S] // made when first needed
	share := 1                        // of a worker in a group
	for number := uint64(1); ; {
		asked := receive(ctx, questions, c.Workers*share)
		if len(asked) == 0 {
			return ctx.Err()
		}
		var lines []players.Line[S]
		var rngs []*rand.Rand
		for i := range asked {
			q := &asked[i]
			if q.Err == nil && q.Position.Over {
				q.Err = InputErrorf("the game is over: %s", q.Position.Result())
			}
			if q.Err == nil {
				lines, rngs = append(lines, e.line(q.Position)), append(rngs, random.New(c.Seed, random.Analyze, number))
			}
			number++
		}
		each := (len(lines) + c.Workers - 1) / c.Workers
		for len(workers)*each < len(lines) {
			w, err := p.(players.Player[S]).New()
			if err != nil {
				return err
			}
			workers, share = append(workers, w), min(largestGroup, w.Together())
		}
		analyses, forfeits := make([]*players.Analysis, len(lines)), make([]error, len(lines))
		group, within := errgroup.WithContext(ctx)
		for k := 0; k*each < len(lines); k++ {
			from, to := k*each, min((k+1)*each, len(lines))
			group.Go(func() error {
				err := workers[k].Analyze(within, lines[from:to], rngs[from:to], analyses[from:to])
				if errors.As(err, new(players.Forfeit)) { // of a program, which gets one line
					forfeits[from], err = err, nil
				}
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return err
		}
		for _, q := range asked {
			var a *players.Analysis
			if q.Err == nil {
				a, q.Err = analyses[0], forfeits[0]
				analyses, forfeits = analyses[1:], forfeits[1:]
			}
			if err := answer(q, a); err != nil {
				return err
			}
		}
	}
}

// receive waits for an element, and returns it with those that can be received at once, at most n, none at the end.
func receive[T any](ctx context.Context, from <-chan T, n int) (taken []T) {
	select {
	case t, open := <-from:
		if !open {
			return nil
		}
		taken = append(taken, t)
	case <-ctx.Done():
		return nil
	}
	for len(taken) < n {
		select {
		case t, open := <-from:
			if !open {
				return taken
			}
			taken = append(taken, t)
		default:
			return taken
		}
	}
	return taken
}

// AnalysisJSON is an analysis in the game's notation, for the side to move.
type AnalysisJSON struct {
	Moves       string             `json:"moves"`   // to the position
	ToMove      string             `json:"to_move"` // "first" or "second"
	Best        string             `json:"best"`
	Value       *float32           `json:"value"`   // null if an external engine gives none
	Proven      *string            `json:"proven"`  // "win", "loss", "draw" or null
	Actions     map[string]int     `json:"actions"` // the numbers of the legal moves
	Visits      map[string]int     `json:"visits"`
	Values      map[string]float32 `json:"values"` // of the moves that were searched or are proven
	Prior       map[string]float32 `json:"prior"`
	Policy      map[string]float32 `json:"policy"`
	PV          []string           `json:"pv"`
	Simulations int                `json:"simulations"`
}

// NewAnalysisJSON converts an analysis.
func NewAnalysisJSON(p Position, a *players.Analysis) AnalysisJSON {
	j := AnalysisJSON{
		Moves: p.Notation(), ToMove: sideNames[p.ToMove], Best: p.Format(a.Best), Value: a.KnownValue(),
		Actions: map[string]int{}, Visits: map[string]int{}, Values: map[string]float32{}, Prior: map[string]float32{},
		Policy: map[string]float32{}, PV: p.Names(a.PV), Simulations: a.Simulations,
	}
	if a.Proven != game.Unknown {
		proven := a.Proven.String()
		j.Proven = &proven
	}
	for _, m := range a.Moves {
		name := p.Format(m.Action)
		j.Actions[name] = int(m.Action)
		j.Visits[name], j.Prior[name], j.Policy[name] = m.Visits, m.Prior, a.Policy[m.Action]
		if m.Visits > 0 || m.Proven != game.Unknown {
			j.Values[name] = m.Q
		}
	}
	return j
}

// Ranked returns an analysis's moves, best first.
func Ranked(a *players.Analysis) []mcts.Stat {
	return slices.SortedStableFunc(slices.Values(a.Moves), func(x, y mcts.Stat) int {
		switch a.Best {
		case x.Action:
			return -1
		case y.Action:
			return 1
		}
		order := cmp.Or(cmp.Compare(a.Policy[y.Action], a.Policy[x.Action]), cmp.Compare(y.Visits, x.Visits))
		if order == 0 && x.Visits > 0 {
			order = cmp.Compare(y.Q, x.Q)
		}
		return cmp.Or(order, cmp.Compare(y.Prior, x.Prior))
	})
}

// AnalysisText formats an analysis as one line.
func AnalysisText(p Position, a *players.Analysis) string {
	value := "no value"
	if known := a.KnownValue(); known != nil {
		value = fmt.Sprintf("value %+.3f", *known)
	}
	if a.Proven != game.Unknown {
		value = "proven " + a.Proven.String()
	}
	return fmt.Sprintf("%s: %s, %s, %d simulations, pv %s",
		p.Name(), p.Format(a.Best), value, a.Simulations, strings.Join(p.Names(a.PV), " "))
}

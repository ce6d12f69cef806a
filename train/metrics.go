package train

import (
	"strconv"
	"time"

	"tengen/replay"
)

// Metrics is a line of metrics.jsonl: what happened in one iteration. Fields that do not apply are left out. Work, Seconds
// and Time are about the process that completed the iteration, and go by the clock. All else is the same whether the run was
// stopped on the way or not.
type Metrics struct {
	Iteration int    `json:"iteration"` // from 1
	Step      uint64 `json:"step"`      // steps of the run so far
	Games     uint64 `json:"games"`     // games of the run so far
	Positions uint64 `json:"positions"` // training positions of the run so far
	Window    int    `json:"window"`    // positions in the window
	Model     int    `json:"model"`     // the newest published model, by the iteration that made it

	*Learning
	Work
	Play

	Gate       *GateResult      `json:"gate,omitempty"`       // the match that decided whether to publish
	Evaluation map[string]Score `json:"evaluation,omitempty"` // the published model's matches by opponent
	Grade      *Grade           `json:"grade,omitempty"`      // the published model against perfect play
	Rating     *Rating          `json:"rating,omitempty"`     // the published model among its opponents
	Seconds    Seconds          `json:"seconds"`
	// Time is when the iteration ended, in UTC, to the millisecond. Lines of earlier versions do not have it.
	Time time.Time `json:"time,omitzero"`
}

// Timeless is what the metrics say apart from what goes by the clock.
func (m Metrics) Timeless() Metrics {
	m.Work, m.Seconds, m.Time = Work{}, Seconds{}, time.Time{}
	return m
}

// Learning is about an iteration's steps: means over them, except for the learning rate. Losses are in natural units.
type Learning struct {
	Loss          float64 `json:"loss"`           // the sum of the next three
	ValueLoss     float64 `json:"value_loss"`     // (v - z)^2
	PolicyLoss    float64 `json:"policy_loss"`    // -pi log p
	L2Loss        float64 `json:"l2_loss"`        // c |theta|^2
	PolicyEntropy float64 `json:"policy_entropy"` // of the network's policy p
	GradientNorm  float64 `json:"gradient_norm"`  // before it is limited
	LearningRate  float64 `json:"learning_rate"`  // of the last step
}

// Work is about the work behind those of an iteration's games that this process has played: all, unless another was
// stopped during the iteration.
type Work struct {
	GamesPerSecond       float64 `json:"games_per_second"`
	EvaluationsPerSecond float64 `json:"evaluations_per_second"` // positions that the network has scored
	SimulationsPerSecond float64 `json:"simulations_per_second"`
	CacheHitRate         float64 `json:"cache_hit_rate"` // share of the positions looked up that were known
}

// Play is about an iteration's self-play games.
type Play struct {
	GameLength        float64 `json:"game_length"`         // mean, in moves
	FirstPlayerShare  float64 `json:"first_player_share"`  // games that the first player won
	DrawShare         float64 `json:"draw_share"`          // games drawn
	SecondPlayerShare float64 `json:"second_player_share"` // games that the second player won
	ResignedShare     float64 `json:"resigned_share"`      // games that ended by resignation
	// TestedResignations counts the games played on although a side would have resigned, FalseResignations those of them
	// which that side did not lose.
	TestedResignations int `json:"tested_resignations"`
	FalseResignations  int `json:"false_resignations"`
}

// GateResult is a candidate's score against the model published before, and whether it took its place.
type GateResult struct {
	Score
	Accepted bool `json:"accepted"`
}

// Seconds is the time that the parts of an iteration took.
type Seconds struct {
	SelfPlay float64 `json:"selfplay"`
	Train    float64 `json:"train"`
	Evaluate float64 `json:"evaluate"` // gate included
}

// figures are what a model's file tells about its training. They follow from the configuration and the seed alone;
// evaluations, which may go by the clock, do not.
func (m *Metrics) figures() map[string]string {
	if m == nil {
		return nil
	}
	figures := map[string]string{
		"games":     strconv.FormatUint(m.Games, 10),
		"positions": strconv.FormatUint(m.Positions, 10),
	}
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }
	if m.Learning != nil {
		figures["value_loss"] = number(m.ValueLoss)
		figures["policy_loss"] = number(m.PolicyLoss)
	}
	return figures
}

// newWork turns counts into rates.
func newWork(s Stats) (w Work) {
	if seconds := s.Duration.Seconds(); seconds > 0 {
		w.GamesPerSecond = float64(s.Games) / seconds
		w.EvaluationsPerSecond = float64(s.Evaluations) / seconds
		w.SimulationsPerSecond = float64(s.Simulations) / seconds
	}
	if s.CacheLookups > 0 {
		w.CacheHitRate = float64(s.CacheHits) / float64(s.CacheLookups)
	}
	return w
}

// newPlay sums up games.
func newPlay(games []*replay.Record) Play {
	var p Play
	var plies, resigned int
	var outcomes [3]int // second player won, drawn, first player won
	for _, g := range games {
		plies += len(g.Moves)
		outcomes[g.Outcome+1]++
		if g.Resigned {
			resigned++
		}
		tested, wrong := g.FalseResignation()
		if tested {
			p.TestedResignations++
		}
		if wrong {
			p.FalseResignations++
		}
	}
	n := float64(len(games))
	p.GameLength = float64(plies) / n
	p.SecondPlayerShare, p.DrawShare, p.FirstPlayerShare = float64(outcomes[0])/n, float64(outcomes[1])/n, float64(outcomes[2])/n
	p.ResignedShare = float64(resigned) / n
	return p
}

// add accounts for one of the given number of steps.
func (l *Learning) add(r StepResult, steps int) {
	share := 1 / float64(steps)
	l.Loss += share * float64(r.Total)
	l.ValueLoss += share * float64(r.Value)
	l.PolicyLoss += share * float64(r.Policy)
	l.L2Loss += share * float64(r.L2)
	l.PolicyEntropy += share * float64(r.Entropy)
	l.GradientNorm += share * r.GradientNorm
	l.LearningRate = r.LearningRate
}

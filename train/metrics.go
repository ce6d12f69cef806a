package train

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"tengen/replay"
)

// Metrics is a line of metrics.jsonl: what happened in one iteration. Fields that do not apply are left out. Work and
// Seconds are about the process that completed the iteration, and go by the clock. All else is the same whether the run
// was stopped on the way or not.
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
}

// Learning is about an iteration's steps: means over them, except for the learning rate. Losses are in natural units.
type Learning struct {
	Loss          float64 `json:"loss"`           // the sum of the terms and the next
	Terms         []Term  `json:"-"`              // "value_loss", "policy_loss" and those of further heads: see Metrics.MarshalJSON
	L2Loss        float64 `json:"l2_loss"`        // c |theta|^2
	PolicyEntropy float64 `json:"policy_entropy"` // of the network's policy p
	GradientNorm  float64 `json:"gradient_norm"`  // before it is limited
	LearningRate  float64 `json:"learning_rate"`  // of the last step
}

// Term is the loss of one of the network's heads, see net.Losses.
type Term struct {
	Name string
	Loss float64
}

// lossKey is how the names of losses end in metrics.jsonl and in models.
const lossKey = "_loss"

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
		for _, t := range m.Terms {
			figures[t.Name+lossKey] = number(t.Loss)
		}
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
	if l.Terms == nil {
		l.Terms = make([]Term, len(r.Terms))
	}
	for i, t := range r.Terms {
		l.Terms[i].Name = t.Name
		l.Terms[i].Loss += share * float64(t.Loss)
	}
	l.L2Loss += share * float64(r.L2)
	l.PolicyEntropy += share * float64(r.Entropy)
	l.GradientNorm += share * r.GradientNorm
	l.LearningRate = r.LearningRate
}

// MarshalJSON writes one flat object, in which a term of Learning is the field "<name>_loss".
func (m Metrics) MarshalJSON() ([]byte, error) {
	type fields Metrics // without this method
	line, err := json.Marshal(fields(m))
	if err != nil || m.Learning == nil {
		return line, err
	}
	const next = `"l2_loss":` // only numbers are before it
	var terms []byte
	for _, t := range m.Terms {
		loss, err := json.Marshal(t.Loss)
		if err != nil {
			return nil, err
		}
		terms = fmt.Appendf(terms, "%q:%s,", t.Name+lossKey, loss)
	}
	return bytes.Replace(line, []byte(next), append(terms, next...), 1), nil
}

// UnmarshalJSON reads what MarshalJSON has written, with the terms in their order there.
func (m *Metrics) UnmarshalJSON(line []byte) error {
	type fields Metrics
	if err := json.Unmarshal(line, (*fields)(m)); err != nil || m.Learning == nil {
		return err
	}
	m.Terms = nil
	d := json.NewDecoder(bytes.NewReader(line))
	d.Token() // the object's brace: it was read before
	for d.More() {
		key, _ := d.Token()
		var value json.RawMessage
		d.Decode(&value)
		name, ok := strings.CutSuffix(key.(string), lossKey)
		if !ok || name == "l2" {
			continue
		}
		t := Term{Name: name}
		if err := json.Unmarshal(value, &t.Loss); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		m.Terms = append(m.Terms, t)
	}
	return nil
}

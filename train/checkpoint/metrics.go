package checkpoint

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"tengen/eval/rating"
)

// Metrics is a line of metrics.jsonl and describes one iteration. Fields that do not apply are omitted. Work, Seconds,
// CPUSeconds, CoreSeconds and Time depend on timing and on interruptions, see Timeless. The other fields do not, except
// for Evaluation against an opponent that thinks for a time, such as uct:DURATION.
type Metrics struct {
	Iteration int    `json:"iteration"` // from 1
	Step      uint64 `json:"step"`      // steps of the run so far
	Games     uint64 `json:"games"`     // games of the run so far
	Positions uint64 `json:"positions"` // training positions of the run so far
	Window    int    `json:"window"`    // positions in the window
	Model     int    `json:"model"`     // iteration of the newest published model

	PlayedBy ModelFile `json:"played_by"` // the model of the iteration's games

	*Learning
	Work
	Play

	Evaluation map[string]rating.Tally `json:"evaluation,omitempty"` // the published model's matches by opponent
	Grade      *Grade                  `json:"grade,omitempty"`      // the published model against perfect play
	Exam       []ExamPart              `json:"exam,omitempty"`       // the published model in its game's exam
	Seconds    Seconds                 `json:"seconds"`
	// CPUSeconds is the processor time in Seconds.Total over all cores; 0 if the system does not report it.
	CPUSeconds  float64     `json:"cpu_seconds,omitempty"`
	CoreSeconds CoreSeconds `json:"core_seconds"`
	// Time is when the iteration ended, in UTC, to the millisecond.
	Time time.Time `json:"time,omitzero"`
}

// Learning holds means over an iteration's steps. Losses are in nats.
type Learning struct {
	Loss   float64 `json:"loss"`    // the weighted sum of Terms plus L2Loss
	Terms  []Term  `json:"-"`       // "value_loss", "policy_loss", others: see Metrics.MarshalJSON
	L2Loss float64 `json:"l2_loss"` // c |theta|^2
	Unseen
	PolicyEntropy float64 `json:"policy_entropy"` // of the network's policy p
	GradientNorm  float64 `json:"gradient_norm"`  // before limiting
	LearningRate  float64 `json:"learning_rate"`  // of the last step
}

// Unseen holds losses on positions of the iteration's games before learning from them.
type Unseen struct {
	UnseenValueLoss  float64 `json:"unseen_value_loss"`
	UnseenPolicyLoss float64 `json:"unseen_policy_loss"`
}

// Term is the loss of one of the network's heads, see net.Losses.
type Term struct {
	Name string
	Loss float64
}

// Key returns the loss's name in metrics.jsonl and in models.
func (t Term) Key() string { return t.Name + lossSuffix }

const lossSuffix = "_loss"

// Work measures the iteration's self-play in this process and its remote workers. Games of earlier processes do not
// count.
type Work struct {
	GamesPerSecond       float64 `json:"games_per_second"`
	EvaluationsPerSecond float64 `json:"evaluations_per_second"` // positions scored by the network
	SimulationsPerSecond float64 `json:"simulations_per_second"`
	CacheHitRate         float64 `json:"cache_hit_rate"` // share of lookups that hit
	// Verified counts remote workers' games that were played again.
	Verified int `json:"verified,omitempty"`
}

// Play summarizes an iteration's self-play games.
type Play struct {
	GameLength        float64 `json:"game_length"`         // mean, in moves
	OpeningShare      float64 `json:"opening_share"`       // moves that openings drew, without a search
	FirstPlayerShare  float64 `json:"first_player_share"`  // games won by the first player
	DrawShare         float64 `json:"draw_share"`          // games drawn
	SecondPlayerShare float64 `json:"second_player_share"` // games won by the second player
}

// Grade compares a model's moves with perfect play.
type Grade struct {
	Positions int             `json:"positions"`
	Search    rating.Accuracy `json:"search"` // with search
	Policy    rating.Accuracy `json:"policy"` // by the bare network
}

// ExamPart is a model's result in one part of its game's exam, see run/games/suites.go.
type ExamPart struct {
	Part      string            `json:"part"` // such as "beginning, hard" or "win, all"
	Positions int               `json:"positions"`
	Search    rating.Proportion `json:"search"` // right moves with search
	Policy    rating.Proportion `json:"policy"` // right moves by the bare network
}

// Seconds holds the durations of an iteration and its parts.
type Seconds struct {
	SelfPlay float64 `json:"selfplay"`
	Wait     float64 `json:"wait,omitempty"`   // waiting for remote workers while this process plays no games
	Verify   float64 `json:"verify,omitempty"` // playing remote workers' games again
	Train    float64 `json:"train"`            // includes adding the games to the window
	Evaluate float64 `json:"evaluate"`
	// Total includes work outside the parts, such as writing the previous checkpoint.
	Total float64 `json:"total,omitempty"`
	// Rest is the part of Total without games to play: workers wait for training.
	Rest float64 `json:"rest,omitempty"`
}

// Waiting returns the shares of Total in which training waited for games, and workers for training. With games played
// ahead, neither may have waited.
func (s Seconds) Waiting() (training, workers float64) {
	total := max(s.Total, 1e-9)
	return (s.SelfPlay + s.Wait) / total, s.Rest / total
}

// CoreSeconds holds the time that this process spent on parts of an iteration, summed over its cores. Network, Search
// and Log are wall time, so they include waiting for a core. Games played ahead count in the iteration that learns from
// them.
type CoreSeconds struct {
	Network float64 `json:"network"` // the network in self-play
	Search  float64 `json:"search"`  // the rest of self-play
	Log     float64 `json:"log"`     // writing games to the log
	// Train is the processor time of learning and of games played ahead meanwhile. Idle is the processor time unused
	// during Seconds.Total. Both are 0 if the system does not report processor time.
	Train float64 `json:"train,omitempty"`
	Idle  float64 `json:"idle,omitempty"`
}

// Spent sums the durations of all iterations, and their processor time.
func Spent(all []Metrics) (sum Seconds, cpu float64) {
	for _, m := range all {
		s := m.Seconds
		sum.SelfPlay += s.SelfPlay
		sum.Wait += s.Wait
		sum.Verify += s.Verify
		sum.Train += s.Train
		sum.Evaluate += s.Evaluate
		sum.Total += s.Total
		cpu += m.CPUSeconds
	}
	return sum, cpu
}

// Other returns the total without the other fields.
func (s Seconds) Other() float64 {
	return max(0, s.Total-(s.SelfPlay+s.Wait+s.Verify+s.Train+s.Evaluate))
}

// MarshalJSON writes one flat object, in which a term of Learning is the field "<name>_loss".
func (m Metrics) MarshalJSON() ([]byte, error) {
	type fields Metrics
	line, err := json.Marshal(fields(m))
	if err != nil || m.Learning == nil {
		return line, err
	}
	const next = `"l2_loss":` // cannot occur earlier: only numbers precede it
	var terms []byte
	for _, t := range m.Terms {
		name, err := json.Marshal(t.Name + lossSuffix)
		if err != nil {
			return nil, err
		}
		loss, err := json.Marshal(t.Loss)
		if err != nil {
			return nil, err
		}
		terms = fmt.Appendf(terms, "%s:%s,", name, loss)
	}
	return bytes.Replace(line, []byte(next), append(terms, next...), 1), nil
}

// UnmarshalJSON reads MarshalJSON's output, with the terms in the same order.
func (m *Metrics) UnmarshalJSON(line []byte) error {
	type fields Metrics
	if err := json.Unmarshal(line, (*fields)(m)); err != nil || m.Learning == nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.Token() // the opening brace; the line is known to be valid
	for d.More() {
		key, _ := d.Token()
		var value json.RawMessage
		d.Decode(&value)
		name, ok := strings.CutSuffix(key.(string), lossSuffix)
		if !ok || name == "l2" || strings.HasPrefix(name, "unseen_") {
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

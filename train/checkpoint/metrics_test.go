package checkpoint

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"tengen/eval/rating"
)

// metrics.jsonl is read by other programs: the names of its fields are fixed.
func TestMetricsFormat(t *testing.T) {
	m := Metrics{
		Iteration: 1, Step: 2, Games: 3, Positions: 4, Window: 5, Model: 6, PlayedBy: ModelFile{5, "ab"},
		Learning:   &Learning{Loss: 1, Terms: []Term{{"value", 2}, {"policy", 3}, {"moves_left", 3.5}}, L2Loss: 4, Unseen: Unseen{4.25, 4.5}, PolicyEntropy: 5, GradientNorm: 6, LearningRate: 7},
		Work:       Work{1, 2, 3, 4, 5},
		Play:       Play{5, 0.5, 6, 7, 8},
		Evaluation: map[string]rating.Tally{"uct:100": {Wins: 3, Losses: 1}},
		Grade:      &Grade{5, rating.Accuracy{Optimal: 1, KeepsValue: 2, ScoreLost: 3, SignAccuracy: 4, Mistakes: map[string]float64{"end": 6}, Stages: map[string]int{"end": 5}}, rating.Accuracy{}},
		Exam:       []ExamPart{{"win, all", 7, rating.Proportion{Share: 0.5, Low: 0.25, High: 0.75}, rating.Proportion{}}},
		Seconds:    Seconds{1, 1.5, 1.75, 2, 3, 9, 4},
		CPUSeconds: 4, CoreSeconds: CoreSeconds{1, 2, 3, 4, 5},
		Time: time.Date(2026, 2, 3, 4, 5, 6, 7e6, time.UTC),
	}
	const want = `{"iteration":1,"step":2,"games":3,"positions":4,"window":5,"model":6,"played_by":{"iteration":5,"sha256":"ab"},` +
		`"loss":1,"value_loss":2,"policy_loss":3,"moves_left_loss":3.5,"l2_loss":4,"unseen_value_loss":4.25,"unseen_policy_loss":4.5,"policy_entropy":5,"gradient_norm":6,"learning_rate":7,` +
		`"games_per_second":1,"evaluations_per_second":2,"simulations_per_second":3,"cache_hit_rate":4,"verified":5,` +
		`"game_length":5,"opening_share":0.5,"first_player_share":6,"draw_share":7,"second_player_share":8,` +
		`"evaluation":{"uct:100":{"score":0.75,"wins":3,"draws":0,"losses":1,"games":4}},` +
		`"grade":{"positions":5,"search":{"optimal":1,"keeps_value":2,"score_lost":3,"sign_accuracy":4,"mistakes":{"end":6},"stages":{"end":5}},` +
		`"policy":{"optimal":0,"keeps_value":0,"score_lost":0,"sign_accuracy":0,"mistakes":null,"stages":null}},` +
		`"exam":[{"part":"win, all","positions":7,"search":{"share":0.5,"low":0.25,"high":0.75},"policy":{"share":0,"low":0,"high":0}}],` +
		`"seconds":{"selfplay":1,"wait":1.5,"verify":1.75,"train":2,"evaluate":3,"total":9,"rest":4},"cpu_seconds":4,` +
		`"core_seconds":{"network":1,"search":2,"log":3,"train":4,"idle":5},"time":"2026-02-03T04:05:06.007Z"}`
	got, err := json.Marshal(m)
	if err != nil || string(got) != want {
		t.Errorf("metrics are\n%s, want\n%s (%v)", got, want, err)
	}
	var back Metrics
	if err := json.Unmarshal(got, &back); err != nil || !reflect.DeepEqual(back, m) {
		t.Errorf("read back as %+v (%v)", back, err)
	}
}

// The time of a run is the sum over its iterations.
func TestSpent(t *testing.T) {
	sum, cpu := Spent([]Metrics{
		{Seconds: Seconds{SelfPlay: 6, Train: 3, Evaluate: 1, Total: 12}, CPUSeconds: 20},
		{Seconds: Seconds{SelfPlay: 2, Train: 1, Total: 3}, CPUSeconds: 4},
		{Seconds: Seconds{Wait: 3, Verify: 2, Train: 1, Total: 7}},
	})
	if want := (Seconds{SelfPlay: 8, Wait: 3, Verify: 2, Train: 5, Evaluate: 1, Total: 22}); sum != want || cpu != 24 {
		t.Errorf("%+v and %v s of processor time, want %+v and 24 s", sum, cpu, want)
	}
	if got := sum.Other(); got != 3 {
		t.Errorf("other than the parts are %v s, want 3", got)
	}
	if sum, cpu := Spent(nil); sum != (Seconds{}) || cpu != 0 {
		t.Errorf("no iterations took %+v and %v s of processor time", sum, cpu)
	}
}

// Training waits while this process or workers play, but not while it verifies games.
func TestWaiting(t *testing.T) {
	s := Seconds{SelfPlay: 1, Wait: 2, Verify: 3, Train: 4, Total: 12, Rest: 9}
	if training, workers := s.Waiting(); training != 0.25 || workers != 0.75 {
		t.Errorf("training waited for %v of the time, workers for %v", training, workers)
	}
}

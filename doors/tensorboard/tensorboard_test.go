package tensorboard

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"tengen/eval/rating"
	"tengen/train/checkpoint"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 250e6, time.UTC)

// lines are two iterations: a bare one, and one with everything.
func lines() []checkpoint.Metrics {
	return []checkpoint.Metrics{
		{Iteration: 1, Games: 100, Play: checkpoint.Play{GameLength: 7.5}, Seconds: checkpoint.Seconds{SelfPlay: 3, Total: 5}, Time: noon},
		{Iteration: 2, Games: 200, Step: 12, Model: 2,
			Learning:   &checkpoint.Learning{Loss: 3.5, Terms: []checkpoint.Term{{Name: "value", Loss: 0.5}, {Name: "policy", Loss: 1.5}}, L2Loss: 1.5},
			Evaluation: map[string]rating.Tally{"uct:1000": {Wins: 3, Losses: 1}, "net:a.b/c:0": {}},
			Grade: &checkpoint.Grade{Positions: 20,
				Search: rating.Accuracy{Optimal: 0.9, Mistakes: map[string]float64{"middle": 0.1, "end": 0}}},
			Exam:    []checkpoint.ExamPart{{Part: "beginning, hard", Positions: 5, Search: rating.Proportion{Share: 0.8, Low: 0.4, High: 0.9}}},
			Seconds: checkpoint.Seconds{SelfPlay: 4, Train: 1, Total: 6}, CPUSeconds: 9, Time: noon.Add(6 * time.Second)},
	}
}

// point is a value of an event file.
type point struct {
	time, value float64
	step        int64
}

// readFile reads the scalars of an event file by their tags.
func readFile(t *testing.T, content []byte) (curves map[string][]point) {
	t.Helper()
	curves = map[string][]point{}
	for _, record := range records(content) {
		event := fields(t, record)
		p := point{time: math.Float64frombits(binary.LittleEndian.Uint64(event[1][0])), step: varint(event[2])}
		for _, summary := range event[5] {
			for _, value := range fields(t, summary)[1] {
				inner := fields(t, value)
				p.value = float64(math.Float32frombits(binary.LittleEndian.Uint32(inner[2][0])))
				tag := string(inner[1][0])
				curves[tag] = append(curves[tag], p)
			}
		}
	}
	return curves
}

// varint decodes a field that may be missing.
func varint(field [][]byte) int64 {
	if field == nil {
		return 0
	}
	x, _ := protowire.ConsumeVarint(field[0])
	return int64(x)
}

// fields takes a message apart.
func fields(t *testing.T, message []byte) map[protowire.Number][][]byte {
	t.Helper()
	all := map[protowire.Number][][]byte{}
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeField(message)
		if n < 0 {
			t.Fatal(protowire.ParseError(n))
		}
		value := message[protowire.SizeTag(number):n]
		if kind == protowire.BytesType {
			value, _ = protowire.ConsumeBytes(value)
		}
		all[number] = append(all[number], value)
		message = message[n:]
	}
	return all
}

// What is exported has the metrics' values at their games and times, under tags without unusual characters.
func TestEvents(t *testing.T) {
	got := readFile(t, events(lines()))
	second := func(value float32) []point { return []point{{1767355206.25, float64(value), 200}} }
	for tag, want := range map[string][]point{
		"games/length":          {{1767355200.25, 7.5, 100}, {1767355206.25, 0, 200}},
		"learning/models/ended": {{1767355200.25, 1, 100}, {1767355206.25, 2, 200}},
		"losses/losses/value":   second(0.5), "losses/losses/policy": second(1.5), "losses/objective": second(2), "losses/penalty": second(1.5),
		"strength/score/uct_1000": second(75),
		"strength/best/search":    second(90), "strength/mistakes/end": second(0), "strength/exam/beginning_hard": second(80),
		"intervals/exam/beginning_hard/high": second(90),
		"speed/time/processor":               second(9), "speed/time/self-play": {{1767355200.25, 3, 100}, {1767355206.25, 4, 200}},
	} {
		if !slices.Equal(got[tag], want) {
			t.Errorf("%s: %v, want %v", tag, got[tag], want)
		}
	}
	for tag := range got {
		if unusual.MatchString(strings.ReplaceAll(tag, "/", "")) {
			t.Errorf("there is a tag %s", tag)
		}
	}
}

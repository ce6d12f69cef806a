package curves

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"tengen/internal/atomicfile"
	"tengen/internal/tfevents"
	"tengen/train/rundir"
)

// Recorder writes the iterations of a run as events for TensorBoard. The step of an event is the number of self-play games, which
// grows with every iteration, as the number of training steps does not; its time is the end of the iteration. It is not safe for
// concurrent use.
type Recorder struct {
	events *tfevents.Writer
	time   time.Time // of the newest event
}

// NewRecorder begins an event file in a folder, behind those that are there. begun is the time in its name. In a folder without
// events, the text "config" comes first.
func NewRecorder(folder string, begun time.Time, config []byte) (*Recorder, error) {
	events, err := tfevents.Create(folder, begun)
	if err != nil {
		return nil, fmt.Errorf("cannot begin an event file for TensorBoard: %w", err)
	}
	r := &Recorder{events, begun}
	if events.Last() < 0 && len(config) > 0 {
		code := "    " + strings.ReplaceAll(strings.TrimRight(string(config), "\n"), "\n", "\n    ") // in Markdown
		text := tfevents.Event{Time: begun, Text: &tfevents.Text{Tag: "config", Markdown: code}}
		if err := events.Write(text); err != nil {
			return nil, fmt.Errorf("cannot write events for TensorBoard: %w", err)
		}
	}
	return r, nil
}

// Record writes an iteration, unless the folder has it or a later one already.
func (r *Recorder) Record(m rundir.Metrics) error {
	r.time = timeOf(m, r.time)
	if int64(m.Games) <= r.events.Last() {
		return nil
	}
	e := tfevents.Event{Time: r.time, Step: int64(m.Games)}
	for _, v := range Values(m) {
		if tag := Tag(v.Path); tag != "" {
			e.Scalars = append(e.Scalars, tfevents.Scalar{Tag: tag, Value: float32(v.Number)})
		}
	}
	if err := r.events.Write(e); err != nil {
		return fmt.Errorf("cannot write events for TensorBoard: %w", err)
	}
	return nil
}

// Close ends the file.
func (r *Recorder) Close() error { return r.events.Close() }

// timeOf is when an iteration ended: lines of earlier versions do not say, and count from the one before.
func timeOf(m rundir.Metrics, before time.Time) time.Time {
	if m.Time.IsZero() {
		return before.Add(time.Duration(m.Seconds.Total * float64(time.Second)))
	}
	return m.Time
}

// Export writes a run's metrics into a folder of its own, which is made if need be. The same metrics give the same bytes. It is an
// error if the folder has events.
func Export(folder string, all []rundir.Metrics, config []byte) error {
	if err := atomicfile.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	files, err := tfevents.Files(folder)
	if err != nil {
		return err
	}
	if len(files) > 0 {
		return fmt.Errorf("%s has events already, such as %s: name another folder", folder, files[0])
	}
	start := time.Unix(0, 0) // where the metrics do not tell
	begun := start
	if len(all) > 0 {
		begun = timeOf(all[0], start)
	}
	r, err := NewRecorder(folder, begun, config)
	if err != nil {
		return err
	}
	r.time = start
	for _, m := range all {
		if err := r.Record(m); err != nil {
			r.Close()
			return err
		}
	}
	return r.Close()
}

// Tag is the name of a curve, by the path of its values; "" for what is no curve. What is before the first slash is a group:
//
//	loss/all  loss/value  loss/policy ...                 eval/uct_1000/score
//	learning/learning_rate  learning/gradient_norm ...    elo/elo  elo/low  elo/high
//	selfplay/games_per_second  selfplay/game_length ...   grade/search/optimal  grade/policy/mistakes/end ...
//	run/positions  run/step ...                           exam/search/beginning_hard ...
//	time/selfplay  time/train ...                         gate/score
func Tag(path []string) string {
	first, last := path[0], path[len(path)-1]
	group := groups[first]
	switch {
	case first == "games" || group == "" && !strings.HasSuffix(first, "_loss"):
		return "" // the step itself, and what is no number to draw
	case first == "loss":
		path = []string{"loss", "all"}
	case strings.HasSuffix(first, "_loss"):
		path = []string{"loss", strings.TrimSuffix(first, "_loss")}
	case first == "cpu_seconds":
		path = []string{"time", "processor"}
	case (first == "evaluation" || first == "gate") && last != "score", last == "positions" && len(path) > 1:
		return "" // counts
	case first == "exam" && last != "share":
		return ""
	case first == "exam":
		path = []string{group, path[2], path[1]}
	case len(path) == 1:
		path = []string{group, first}
	default:
		path = append([]string{group}, path[1:]...)
	}
	clean := make([]string, len(path))
	for i, part := range path {
		clean[i] = strings.Trim(unusual.ReplaceAllString(part, "_"), "_")
	}
	return strings.Join(clean, "/")
}

// unusual is what tags had better not have.
var unusual = regexp.MustCompile(`[^A-Za-z0-9_.-]+`)

// groups are those of the curves by the first key of their path.
var groups = map[string]string{
	"iteration": "run", "step": "run", "positions": "run", "window": "run", "model": "run",
	"loss": "loss", "policy_entropy": "learning", "gradient_norm": "learning", "learning_rate": "learning",
	"games_per_second": "selfplay", "evaluations_per_second": "selfplay", "simulations_per_second": "selfplay",
	"cache_hit_rate": "selfplay", "game_length": "selfplay", "first_player_share": "selfplay", "draw_share": "selfplay",
	"second_player_share": "selfplay", "resigned_share": "selfplay", "tested_resignations": "selfplay", "false_resignations": "selfplay",
	"gate": "gate", "evaluation": "eval", "grade": "grade", "exam": "exam", "rating": "elo", "seconds": "time", "cpu_seconds": "time",
}

package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"tengen/engine"
	"tengen/eval"
	"tengen/eval/grade"
	"tengen/eval/rating"
	"tengen/game"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/net"
	"tengen/players"
	"tengen/players/model"
	"tengen/train"
	"tengen/train/checkpoint"
)

// judge is train.Judge: it measures the models of a run by matches, and against perfect play.
type judge[S game.State[S]] struct {
	bound[S]
	cfg      Config
	dir      string             // of the run
	warn     func(error)        // is told of models that cannot be read
	against  players.Entrant[S] // the fixed opponent, where there are evaluations
	problems []grade.Problem[S] // to grade models with, once they are needed
}

// newJudge looks at everything that matches need, so that a run with a mistake fails before its first iteration.
func (e bound[S]) newJudge(cfg Config, dir string, warn func(error)) (*judge[S], error) {
	j := &judge[S]{bound: e, cfg: cfg, dir: dir, warn: warn}
	if cfg.Train.EvaluateEvery == 0 && cfg.Train.Gate.Games == 0 {
		return j, nil
	}
	if _, err := eval.Openings(e.Rules, cfg.Eval.OpeningPlies, 1, cfg.Seed); err != nil {
		return j, engine.InputErrorf("eval.opening_plies is %d: %w", cfg.Eval.OpeningPlies, err)
	}
	if cfg.Train.EvaluateEvery == 0 {
		return j, nil
	}
	spec, err := cfg.Eval.opponent()
	if err != nil {
		return j, err
	}
	if j.against, err = e.Builder(engine.PlayerOptions{}).Build(spec); err != nil {
		return j, fmt.Errorf("eval.against: %w", err)
	}
	return j, nil
}

// missing says why the models of a run get no grade, or take no exam, though the configuration asks for it.
func (j *judge[S]) missing() (why []error) {
	if j.cfg.Train.EvaluateEvery == 0 {
		return nil
	}
	if j.cfg.Eval.GradePositions > 0 && !j.Gradable() {
		why = append(why, fmt.Errorf("models are not graded by perfect play: %s is quick to solve from ply %d on only; "+
			"eval.grade_positions=0 says that there is to be no grade, and tengen grade --from-ply grades from a ply on", j.Rules.Name(), j.Exact.Quick))
	}
	if j.cfg.Eval.ExamPositions > 0 && j.NoExam() != nil {
		why = append(why, fmt.Errorf("models take no exam: %w; eval.exam_positions=0 says that there is to be none", j.NoExam()))
	}
	return why
}

// Evaluate implements train.Judge: a match against the fixed opponent of the configuration, matches against earlier models
// for a rating, a grade, and an exam.
func (j *judge[S]) Evaluate(ctx context.Context, iteration, model int, w *net.Weights) (v train.Evaluation, err error) {
	tally, err := j.match(ctx, iteration, j.cfg.Eval.Games, j.entrant("model", w), j.against)
	if err != nil {
		return v, err
	}
	v.Matches = map[string]rating.Tally{j.against.Name: tally}
	if v.Rating, err = j.rateAgainstPast(ctx, iteration, model, w, v.Matches); err != nil {
		return v, fmt.Errorf("ladder: %w", err)
	}
	if v.Grade, err = j.grade(ctx, w); err != nil {
		return v, fmt.Errorf("grade: %w", err)
	}
	if v.Exam, err = j.examine(ctx, w); err != nil {
		return v, fmt.Errorf("exam: %w", err)
	}
	return v, nil
}

// Gate implements train.Judge.
func (j *judge[S]) Gate(ctx context.Context, iteration, games int, candidate, published *net.Weights) (rating.Tally, error) {
	return j.match(ctx, iteration, games, j.entrant("candidate", candidate), j.entrant("published", published))
}

// rateAgainstPast plays the model against those evaluated one, two and four evaluations earlier, adds the results to
// matches, and rates the model by all matches of the run. Models whose files are gone are left out, and so are, with a warning,
// those that cannot be read.
func (j *judge[S]) rateAgainstPast(ctx context.Context, iteration, model int, w *net.Weights, matches map[string]rating.Tally) (*rating.Rating, error) {
	games := j.cfg.Eval.LadderGames
	if games == 0 {
		return nil, nil
	}
	past, err := checkpoint.ReadMetrics(j.dir)
	if err != nil {
		return nil, err
	}
	played := playedMatches{names: []string{j.against.Name}}
	var earlier []int // models that were evaluated
	for _, m := range past {
		if m.Evaluation != nil && m.Iteration < iteration && m.Model < model {
			earlier = append(earlier, m.Model) // the same again where the gate has let none pass
			played.add(checkpoint.ModelName(m.Model), m.Evaluation)
		}
	}
	earlier = slices.Compact(earlier)
	for back := 1; back <= min(4, len(earlier)); back *= 2 {
		name := checkpoint.ModelName(earlier[len(earlier)-back])
		m, err := net.LoadModel(filepath.Join(j.dir, name))
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				j.warn(fmt.Errorf("no match against an earlier model: %w", err))
			}
			continue
		}
		if matches[name], err = j.match(ctx, iteration, games, j.entrant("model", w), j.entrant(name, m.Weights)); err != nil {
			return nil, err
		}
	}
	played.add(checkpoint.ModelName(model), matches)
	return played.rating(checkpoint.ModelName(model))
}

// playedMatches collects the matches of a run, to rate its models by all of them.
type playedMatches struct {
	names    []string // the anchor first
	pairings []rating.Pairing
}

// add takes in the matches of a player against others, by their names. Damaged metrics may have some against itself.
func (p *playedMatches) add(player string, matches map[string]rating.Tally) {
	i := p.index(player)
	for _, name := range slices.Sorted(maps.Keys(matches)) {
		if name == player {
			continue
		}
		p.pairings = append(p.pairings, rating.Pairing{Player: i, Against: p.index(name), Tally: matches[name]})
	}
}

// index is the place of a name, which is new perhaps.
func (p *playedMatches) index(name string) int {
	if i := slices.Index(p.names, name); i >= 0 {
		return i
	}
	p.names = append(p.names, name)
	return len(p.names) - 1
}

// rating is that of a player who has met the anchor, above the anchor. Players whom no chain of matches connects to the anchor are
// left out: eval.against may have been another one once, and models that met both may be gone.
func (p *playedMatches) rating(player string) (*rating.Rating, error) {
	linked := p.linked()
	rated := playedMatches{names: p.names[:1:1]}
	for _, m := range p.pairings {
		if linked[m.Player] {
			rated.pairings = append(rated.pairings,
				rating.Pairing{Player: rated.index(p.names[m.Player]), Against: rated.index(p.names[m.Against]), Tally: m.Tally})
		}
	}
	const virtualGames = 1
	ratings, _, err := rating.Rate(rated.names, rated.pairings, 0, virtualGames)
	if err != nil {
		return nil, fmt.Errorf("cannot rate %s: %w", player, err)
	}
	return &ratings[rated.index(player)], nil
}

// linked says of each name whether a chain of matches leads from it to the anchor.
func (p *playedMatches) linked() []bool {
	linked := make([]bool, len(p.names))
	linked[0] = true
	for grown := true; grown; {
		grown = false
		for _, m := range p.pairings {
			if linked[m.Player] != linked[m.Against] {
				linked[m.Player], linked[m.Against], grown = true, true, true
			}
		}
	}
	return linked
}

// grade compares the model with perfect play, where a solver is quick. The positions are those of the run's seed.
func (j *judge[S]) grade(ctx context.Context, w *net.Weights) (*checkpoint.Grade, error) {
	c := engine.DefaultGrade()
	c.Sample.Positions, c.Sample.Seed = j.cfg.Eval.GradePositions, j.cfg.Seed
	if c.Sample.Positions == 0 || !j.Gradable() {
		return nil, nil
	}
	if j.problems == nil {
		var err error
		if j.problems, err = j.Problems(ctx, c, func(string) {}); err != nil {
			return nil, err
		}
	}
	builder, spec := j.model(w)
	report, err := j.GradeBy(ctx, builder, spec, c.Sample, j.problems, nil)
	if err != nil {
		return nil, err
	}
	search, policy := report.Players[0], report.Players[len(report.Players)-1]
	return &checkpoint.Grade{Positions: report.Positions, Search: search.Accuracy(), Policy: policy.Accuracy()}, nil
}

// examine puts a part of the game's exam for development to the model, the same every time. It is nil where there is none.
func (j *judge[S]) examine(ctx context.Context, w *net.Weights) ([]checkpoint.ExamPart, error) {
	n := j.cfg.Eval.ExamPositions
	if n == 0 || j.NoExam() != nil {
		return nil, nil
	}
	builder, spec := j.model(w)
	c := engine.DefaultExam()
	c.Player, c.Seed = spec, j.cfg.Seed
	report, err := j.Examine(ctx, builder, c, n, func(int, int) {})
	if err != nil {
		return nil, err
	}
	return examParts(report), nil
}

// model is the weights as a player with the simulations of an evaluation, and what makes it.
func (j *judge[S]) model(w *net.Weights) (players.Builder[S], players.Spec) {
	builder, shared := j.Builder(engine.PlayerOptions{}), model.Network(j.Rules, w, j.cfg.Search, engine.EvaluationBatch, engine.EvaluationMegabytes)
	builder.Open = func(string) (players.Network[S], error) { return shared, nil }
	return builder, players.Spec{Kind: players.KindNet, Path: "model", Limit: j.cfg.Eval.Simulations}
}

// entrant is a player with the given weights and the simulations of an evaluation.
func (j *judge[S]) entrant(name string, w *net.Weights) players.Entrant[S] {
	budget := mcts.Budget{Simulations: j.cfg.Eval.Simulations}
	return players.Entrant[S]{Name: name, New: func() (players.Player[S], error) {
		return players.NewNet(j.cfg.Search, j.Rules.Actions(), model.Evaluator(j.Rules, w, j.cfg.Search, engine.EvaluationBatch, nil), budget, engine.EvaluationBatch), nil
	}}
}

// match plays games whose openings and random choices follow from the run's seed and the iteration.
func (j *judge[S]) match(ctx context.Context, iteration, games int, player, against players.Entrant[S]) (rating.Tally, error) {
	m := eval.Default()
	m.Games = games
	m.OpeningPlies = j.cfg.Eval.OpeningPlies
	m.Seed = matchSeed(j.cfg.Seed, iteration)
	r, err := eval.Play(ctx, m, j.Rules, player, against, nil)
	if err != nil {
		return rating.Tally{}, err
	}
	return r.Total(), nil
}

// matchSeed is the seed of the matches at the end of an iteration, for `eval --seed` to repeat.
func matchSeed(seed uint64, iteration int) uint64 {
	return random.New(seed, random.Judge, uint64(iteration)).Uint64()
}

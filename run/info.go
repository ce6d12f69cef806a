package run

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tengen/engine"
	"tengen/internal/printable"
	"tengen/net"
	"tengen/players"
	"tengen/train/checkpoint"
)

// Facts describes a thing by texts with labels, in order.
type Facts [][2]string

func (f *Facts) add(label, format string, a ...any) {
	*f = append(*f, [2]string{label, fmt.Sprintf(format, a...)})
}

// Info describes the first of these that has the name: a run directory, a model file, a game, another folder with a
// model, a pretrained model. If the name begins with "net:", Info does not look for a game.
func Info(name string) (Facts, error) {
	path, isNet := strings.CutPrefix(name, string(players.KindNet)+":")
	info, missing := os.Stat(path)
	if missing == nil && info.IsDir() && checkpoint.IsRun(path) {
		return runInfo(path)
	}
	e, err := engine.Open(path)
	if err == nil && !isNet && (missing != nil || info.IsDir()) {
		return gameInfo(e), nil
	}
	if missing == nil || isNet || slices.Contains(engine.PretrainedModels(), path) {
		return modelInfo(path)
	}
	words := slices.Concat(engine.Boards(), engine.ModelsHere(), engine.PretrainedModels())
	return nil, engine.InputErrorf("%s is not a model, run directory or game: `tengen info` lists them%s", name, engine.DidYouMean(name, words))
}

func modelInfo(path string) (f Facts, err error) {
	m, id, err := IdentifyModel(path)
	if err != nil {
		return nil, err
	}
	search, err := engine.TrainedSearch(m)
	if err != nil {
		return nil, err
	}
	f.add("model", "%s", cmp.Or(id.File, id.Name+", comes with tengen"))
	if info, err := os.Stat(id.File); err == nil {
		f.add("made", "%s", info.ModTime().Format(time.DateTime))
	}
	f.add("game", "%s", m.Game)
	f.add("learned", "%s, %s, %s", printable.Plural(m.Iteration, "iteration"), printable.Plural(id.Games, "game"), printable.Plural(m.Step, "step"))
	var losses []string
	for _, key := range slices.Sorted(maps.Keys(m.Figures)) {
		if name, ok := strings.CutSuffix(key, "_loss"); ok {
			losses = append(losses, name+" "+m.Figures[key])
		}
	}
	if len(losses) > 0 {
		f.add("losses", "%s", strings.Join(losses, ", "))
	}
	cfg := DefaultConfig()
	cfg.Net, cfg.Search = m.Weights.Config, search
	network := cfg.Network() + ", " + printable.Plural(m.Weights.Count(), "parameter")
	if m.Weights.Count() < net.Parameters(m.Weights.Config, m.Weights.Shape) {
		network += " without the heads that only help learning"
	}
	f.add("network", "%s", network)
	f.add("search", "%s a move", printable.Plural(search.Simulations, "simulation"))
	for _, s := range cfg.changed() {
		if key, ok := strings.CutPrefix(s.Key, "search."); ok && key != "simulations" {
			f.add("search", "%s: %s", key, s.Value)
		}
	}
	f.add("sha256", "%s", id.SHA256)
	if dir := filepath.Dir(id.File); checkpoint.IsModelName(filepath.Base(id.File)) {
		_, _, err := ReadConfig(dir)
		all, unread := checkpoint.ReadMetrics(dir)
		if err != nil || unread != nil {
			return f, nil // the file is in no run directory
		}
		later := func(m checkpoint.Metrics) bool { return m.Iteration > id.Iteration }
		f.addStrength(slices.DeleteFunc(all, later))
	}
	return f, nil
}

func runInfo(dir string) (f Facts, err error) {
	cfg, _, err := ReadConfig(dir)
	if err != nil {
		return nil, err
	}
	all, err := checkpoint.ReadMetrics(dir)
	if err != nil {
		return nil, err
	}
	f.add("run", "%s, %s", dir, progressText(cfg, all))
	if len(all) > 0 {
		f.add("trained", "%s to %s", all[0].Time.Local().Format(time.DateTime), all[len(all)-1].Time.Local().Format(time.DateTime))
		for line := range strings.Lines(SpentText(all)) {
			f.add("trained", "%s", strings.TrimSpace(line))
		}
	}
	newest, err := modelInfo(dir)
	return append(f, newest...), err
}

// addStrength adds the last evaluation of a run.
func (f *Facts) addStrength(all []checkpoint.Metrics) {
	for _, m := range slices.Backward(all) {
		if m.Evaluation == nil && m.Grade == nil && m.Exam == nil {
			continue
		}
		f.add("strength", "after iteration %d:", m.Iteration)
		for _, name := range slices.Sorted(maps.Keys(m.Evaluation)) {
			f.add("strength", "%.1f %% of %s against %s", 100*m.Evaluation[name].Score(), printable.Plural(m.Evaluation[name].Games(), "game"), name)
		}
		if g := m.Grade; g != nil {
			f.add("strength", "%.1f %% best moves, %.1f %% keep the result", 100*g.Search.Optimal, 100*g.Search.KeepsValue)
		}
		for _, e := range m.Exam {
			f.add("strength", "exam, %s: %s", e.Part, e.Search)
		}
		return
	}
}

// progressText says how far a run has got. It may have got beyond train.iterations, which can be lowered at any time.
func progressText(cfg Config, all []checkpoint.Metrics) string {
	var last checkpoint.Metrics
	if len(all) > 0 {
		last = all[len(all)-1]
	}
	return fmt.Sprintf("%s, iteration %d of %d, %s", cfg.Game, last.Iteration, max(cfg.Train.Iterations, last.Iteration), printable.Plural(int(last.Games), "game"))
}

func gameInfo(e engine.Game) (f Facts) {
	info := e.Info()
	f.add("game", "%s, %s", info.Name, info.Title)
	if info.Sentence != "" {
		f.add("rules", "%s", info.Sentence)
	}
	if info.Size.Cells() > 0 {
		f.add("board", "%d columns, %d rows", info.Size.Columns, info.Size.Rows)
	}
	start := e.Start()
	f.add("moves", "%s, such as %s", printable.Plural(info.Actions, "move"), start.Format(start.Legal[len(start.Legal)/2]))
	if info.Tried {
		f.add("solver", "no ply says where it is quick")
	} else {
		f.add("solver", "well under a second a position from ply %d on", info.QuickPly)
	}
	able := engine.PretrainedBy(e, func(name string) (engine.ModelInfo, error) { return engine.Describe(e, name) })
	f.add("models", "%s", cmp.Or(strings.Join(able, ", "), "none comes with tengen"))
	return f
}

// Listing returns the games, models, players and runs at hand.
func Listing() (f Facts) {
	for _, name := range engine.Boards() {
		if e, err := engine.Open(name); err == nil {
			f.add("games", "%s, %s", name, e.Info().Title)
		}
	}
	for _, name := range engine.PretrainedModels() {
		if m, _, err := engine.OpenModel(name); err == nil {
			f.add("models", "net:%s, %s after %s games, comes with tengen", name, m.Game, m.Figures["games"])
		}
	}
	runs := engine.RunsHere()
	for _, name := range engine.ModelsHere()[len(runs):] {
		f.add("models", "net:%s", name)
	}
	for _, form := range strings.Split(players.Forms(), ", ") {
		f.add("players", "%s", form)
	}
	for _, dir := range runs {
		cfg, _, err := ReadConfig(dir)
		all, unread := checkpoint.ReadMetrics(dir)
		if err = cmp.Or(err, unread); err != nil {
			f.add("runs", "%s, unreadable: %v", dir, err)
		} else {
			f.add("runs", "%s, %s", dir, progressText(cfg, all))
		}
	}
	return f
}

// Devices describes this machine's devices, in the order of compute.device, and the result of their test with the
// default network.
func Devices() (facts Facts, err error) {
	cfg := DefaultConfig()
	e, err := engine.Open(cfg.Game)
	if err != nil {
		return nil, err
	}
	all, err := net.Devices(cfg.Net, e.Shape())
	if err != nil {
		return nil, err
	}
	for i, d := range all {
		name, kind := fmt.Sprintf("gpu:%d", i), "processor"
		if d.GPU {
			kind = "graphics card"
		}
		result := "computes as this processor does"
		if d.Problem != nil {
			result = "cannot be used: " + d.Problem.Error()
		}
		facts.add(name, "%s, a %s with %.1f GB, OpenCL driver %s", d.Name, kind, float64(d.Memory)/1e9, d.Driver)
		facts.add(name, "%s", result)
	}
	return facts, nil
}

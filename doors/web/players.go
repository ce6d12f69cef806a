package web

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tengen/engine"
	"tengen/players"
	"tengen/train/checkpoint"
)

// player is a player that requests can name.
type player struct {
	Name         string       `json:"name"`
	Kind         players.Kind `json:"kind"`
	Note         string       `json:"note"`
	Limits       []string     `json:"limits"`
	Simulations  *int         `json:"simulations"` // this and the next two are default limits
	Milliseconds *int         `json:"milliseconds"`
	Depth        *int         `json:"depth"`
	Network      bool         `json:"network"`
	Run          *string      `json:"run"`
	Iteration    *int         `json:"iteration"`

	spec    players.Spec
	version version // of a network's file or run directory
}

// key identifies a game's player and its model's version.
func (p player) key(e engine.Game) string {
	return fmt.Sprintf("%s|%s|%v", e.Info().Name, p.spec, p.version)
}

const (
	limitSimulations  = "simulations"
	limitMilliseconds = "milliseconds"
	limitDepth        = "depth"
)

// Default limits of the built-in players.
const (
	defaultPlayouts     = 1000
	defaultSimulations  = 400
	defaultMilliseconds = 1000
)

func (s *Server) servePlayers(w http.ResponseWriter, r *http.Request, q query) error {
	e, err := q.game()
	if err != nil {
		return err
	}
	all, err := s.players(r.Context(), e)
	if err != nil {
		return err
	}
	return writeJSON(w, map[string]any{"game": e.Info().Name, "players": all, "levels": levels(e, all)})
}

// levelJSON is one of engine.Levels: a player, and its simulations or depth if the level limits them.
type levelJSON struct {
	Name        string `json:"name"`
	Player      string `json:"player"`
	Simulations *int   `json:"simulations"`
	Depth       *int   `json:"depth"`
}

// levels returns the levels whose player is in all.
func levels(e engine.Game, all []player) []levelJSON {
	list := []levelJSON{}
	for _, name := range engine.Levels {
		spec, err := engine.Level(e, name)
		same := func(p player) bool {
			return p.spec.Kind == spec.Kind && p.spec.Path == spec.Path && p.spec.Exploration == spec.Exploration
		}
		i := slices.IndexFunc(all, same)
		if err != nil || i < 0 {
			continue
		}
		l := levelJSON{Name: name, Player: all[i].Name}
		switch {
		case spec.Kind == players.KindAlphaBeta:
			l.Depth = &spec.Limit
		case spec.Limit > 0:
			l.Simulations = &spec.Limit
		}
		list = append(list, l)
	}
	return list
}

func (s *Server) player(ctx context.Context, e engine.Game, name string) (player, error) {
	if name == "" {
		return player{}, badRequestf("player is missing: set it to a name from /api/players")
	}
	all, err := s.players(ctx, e)
	if err != nil {
		return player{}, err
	}
	if i := slices.IndexFunc(all, func(p player) bool { return p.Name == name }); i >= 0 {
		return all[i], nil
	}
	return player{}, badRequestf("there is no player %q for %s: /api/players lists the players", name, e.Info().Name)
}

// gamesOf returns the games of the networks among the players. It is an error if one's model or game does not open, and
// if a player is human.
func gamesOf(given []players.Spec) (games []string, err error) {
	for _, spec := range given {
		switch spec.Kind {
		case players.KindHuman:
			return nil, engine.InputError{Err: fmt.Errorf("player %q: omit it; people can always play in the browser", spec)}
		case players.KindNet:
			e, err := engine.OpenFor("", spec)
			if err != nil {
				return nil, err
			}
			games = append(games, e.Info().Name)
		}
	}
	return games, nil
}

// describe is engine.Describe, which reads the whole model, with a memory.
func (s *Server) describe(ctx context.Context, e engine.Game, path string) (engine.ModelInfo, error) {
	return s.infos.get(ctx, path, e.Info().Name, func() (engine.ModelInfo, error) { return engine.Describe(e, path) })
}

// players lists a game's players. Players given by --player come first, and runs, which may know little yet, after the
// built-in models. It fails only when ctx ends.
func (s *Server) players(ctx context.Context, e engine.Game) ([]player, error) {
	describe := func(path string) (engine.ModelInfo, error) { return s.describe(ctx, e, path) }
	builtIn := engine.PretrainedBy(e, describe)
	l := &playerList{engine: e, describe: describe, reserved: append(slices.Clip(builtIn), plainNames...)}
	for _, spec := range s.options.Players {
		l.addGiven(spec, s.options.Limits)
	}
	for _, name := range builtIn {
		l.addNet(player{Name: name, Note: "comes with tengen", Simulations: ptr(defaultSimulations), spec: players.Spec{Path: name}})
	}
	for _, r := range s.runs.now() {
		l.addRun(r)
	}
	l.add(player{Name: "uct", Kind: players.KindUCT, Note: "tree search with random games", Simulations: ptr(defaultPlayouts)})
	l.add(player{Name: "alphabeta", Kind: players.KindAlphaBeta, Note: "looks ahead and estimates who is better",
		Milliseconds: ptr(defaultMilliseconds)})
	if e.Info().Size.Cells() <= 64 || e.Info().QuickPly == 0 {
		l.add(player{Name: "solver", Kind: players.KindSolver, Note: "perfect play, if there is time to solve the position"})
	}
	l.add(player{Name: "random", Kind: players.KindRandom, Note: "random moves"})
	return l.all, ctx.Err()
}

// limitsOf returns the limits that a kind of player accepts.
func limitsOf(kind players.Kind) []string {
	switch kind {
	case players.KindNet, players.KindUCT:
		return []string{limitSimulations, limitMilliseconds}
	case players.KindAlphaBeta:
		return []string{limitDepth, limitMilliseconds}
	case players.KindSolver, players.KindMinimax:
		return []string{limitMilliseconds}
	}
	return []string{}
}

func ptr[T any](v T) *T { return &v }

// plainNames are names of players without a model, and the pages' name for a person.
var plainNames = []string{"uct", "alphabeta", "solver", "random", "person"}

type playerList struct {
	engine   engine.Game
	describe func(path string) (engine.ModelInfo, error)
	reserved []string // names that no other model gets, so that they mean the same here and on the command line
	all      []player
}

// add adds a player, except alphabeta without Info.Estimates. It renames a player whose name is taken.
func (l *playerList) add(p player) {
	if p.Kind == players.KindAlphaBeta && !l.engine.Info().Estimates {
		return
	}
	name := p.Name
	reserved := p.Kind == players.KindNet && p.spec.Path != name && slices.Contains(l.reserved, name)
	for n := 2; reserved || slices.ContainsFunc(l.all, func(o player) bool { return o.Name == p.Name }); n++ {
		p.Name, reserved = fmt.Sprintf("%s-%d", name, n), false
	}
	p.Limits, p.spec.Kind = limitsOf(p.Kind), p.Kind
	l.all = append(l.all, p)
}

// addNet adds a network if it can play the game and is not listed. The model sets Iteration and a missing limit.
func (l *playerList) addNet(p player) {
	if slices.ContainsFunc(l.all, func(o player) bool { return o.Network && o.spec.Path == p.spec.Path }) {
		return
	}
	p.spec.Limit = players.Unset
	p.version = versionOf(p.spec.Path)
	m, err := l.describe(p.spec.Path)
	if err != nil {
		return
	}
	p.Kind, p.Network, p.Iteration = players.KindNet, true, &m.Iteration
	if p.Simulations == nil && p.Milliseconds == nil {
		p.Simulations = &m.Simulations
	}
	l.add(p)
}

// addGiven adds a player given by --player.
func (l *playerList) addGiven(spec players.Spec, limits Limits) {
	p := player{Name: spec.String(), Kind: spec.Kind, Note: "given by --player", spec: players.Spec{Path: spec.Path, Exploration: spec.Exploration}}
	net := spec.Kind == players.KindNet
	switch {
	case spec.Time > 0:
		p.Milliseconds = ptr(int(min(max(spec.Time, time.Millisecond), limits.Time).Milliseconds()))
	case spec.Kind == players.KindAlphaBeta && spec.Limit > 0:
		p.Depth = ptr(min(spec.Limit, limits.Depth))
	case net && spec.Limit != players.Unset, spec.Kind == players.KindUCT && spec.Limit > 0:
		p.Simulations = ptr(min(spec.Limit, limits.Simulations))
	}
	if net {
		p.Name = baseName(spec.Path)
		l.addNet(p)
		return
	}
	l.add(p)
}

// addRun adds a run's models, newest first, if addNet adds the newest.
func (l *playerList) addRun(r *servedRun) {
	models, err := checkpoint.ModelFiles(r.dir)
	if err != nil {
		return // no model yet
	}
	before := len(l.all)
	newest := models[len(models)-1]
	l.addNet(player{Name: r.name, Note: "the newest model of the run", Run: &r.name, spec: players.Spec{Path: newest.File}})
	if len(l.all) == before {
		return
	}
	for _, m := range slices.Backward(models[:len(models)-1]) {
		p := l.all[before]
		p.Name, p.Note = fmt.Sprintf("%s@%d", r.name, m.Iteration), fmt.Sprintf("model %d of the run", m.Iteration)
		p.Iteration, p.spec.Path, p.version = &m.Iteration, m.File, versionOf(m.File)
		l.add(p)
	}
}

func baseName(path string) string {
	return strings.TrimSuffix(filepath.Base(filepath.Clean(path)), ".safetensors")
}

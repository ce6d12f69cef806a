package positions

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"tengen/doors/web/answer"
	"tengen/engine"
	"tengen/players"
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

	spec        players.Spec
	smallBoards bool // it is offered for these alone
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

// newPlayer returns a player without default limits.
func newPlayer(name, note string, spec players.Spec) player {
	p := player{Name: name, Kind: spec.Kind, Note: note, Limits: []string{}, spec: spec}
	switch spec.Kind {
	case players.KindNet:
		p.Network, p.spec.Limit, p.Limits = true, players.Unset, []string{limitSimulations, limitMilliseconds}
	case players.KindUCT:
		p.Limits = []string{limitSimulations, limitMilliseconds}
	case players.KindAlphaBeta:
		p.Limits = []string{limitDepth, limitMilliseconds}
	case players.KindSolver:
		p.Limits = []string{limitMilliseconds}
	}
	return p
}

// plainPlayers returns the players without a model.
func plainPlayers() []player {
	plain := []player{
		newPlayer("uct", "tree search with random games", players.Spec{Kind: players.KindUCT}),
		newPlayer("alphabeta", "looks ahead and estimates who is better", players.Spec{Kind: players.KindAlphaBeta}),
		newPlayer("solver", "perfect play, if there is time to solve the position", players.Spec{Kind: players.KindSolver}),
		newPlayer("random", "random moves", players.Spec{Kind: players.KindRandom}),
	}
	plain[0].Simulations, plain[1].Milliseconds, plain[2].smallBoards = new(defaultPlayouts), new(defaultMilliseconds), true
	return plain
}

// builtIn returns the player with a model that comes with tengen.
func builtIn(name string) player {
	p := newPlayer(name, "built in", players.Spec{Kind: players.KindNet, Path: name})
	p.Simulations = new(defaultSimulations)
	return p
}

// player returns the player with a run's model.
func (m Model) player() player {
	note := fmt.Sprintf("model %d of the run", m.Iteration)
	if m.Newest {
		note = "the newest model of the run"
	}
	p := newPlayer(m.Name, note, players.Spec{Kind: players.KindNet, Path: m.File})
	p.Run, p.Iteration = &m.Run, &m.Iteration
	return p
}

// newGiven returns the player that Options name by a SPEC.
func newGiven(spec players.Spec, limits answer.Limits) player {
	p := newPlayer(spec.String(), "given by --player", players.Spec{Kind: spec.Kind, Path: spec.Path, Exploration: spec.Exploration})
	if p.Network {
		p.Name = strings.TrimSuffix(filepath.Base(filepath.Clean(spec.Path)), ".safetensors")
	}
	switch {
	case spec.Time > 0:
		p.Milliseconds = new(int(min(max(spec.Time, time.Millisecond), limits.Time).Milliseconds()))
	case spec.Kind == players.KindAlphaBeta && spec.Limit > 0:
		p.Depth = new(min(spec.Limit, limits.Depth))
	case p.Network && spec.Limit != players.Unset, spec.Kind == players.KindUCT && spec.Limit > 0:
		p.Simulations = new(min(spec.Limit, limits.Simulations))
	}
	return p
}

// Reserved returns the names that no model can have on a page: of players without a model, of levels and of people.
func Reserved() []string {
	names := append([]string{"person"}, engine.Levels...)
	for _, p := range plainPlayers() {
		names = append(names, p.Name)
	}
	return names
}

// namePlayers sets the players whose names do not depend on the game. It is an error if a model that Options name or
// its game does not open, if a player is human, and if an engine has no name of its own or is none.
func (s *Server) namePlayers() error {
	plain := plainPlayers()
	reserved := append(engine.PretrainedModels(), Reserved()...)
	s.names = reserved
	add := func(to *[]player, p player) {
		// Only a built-in model has its name, which means the same here as on the command line.
		taken := slices.Contains(reserved, p.Name) && p.Network && p.spec.Path != p.Name
		for name, n := p.Name, 2; taken || slices.ContainsFunc(s.given, named(p.Name)); n++ {
			p.Name, taken = fmt.Sprintf("%s-%d", name, n), false
		}
		*to, s.names = append(*to, p), append(s.names, p.Name)
	}
	for _, spec := range s.options.Players {
		switch spec.Kind {
		case players.KindHuman:
			return engine.InputError{Err: fmt.Errorf("player %q: omit it; people can always play in the browser", spec)}
		case players.KindNet:
			e, err := engine.OpenFor("", spec)
			if err != nil {
				return err
			}
			s.games = append(s.games, e.Info().Name)
		}
		add(&s.given, newGiven(spec, s.options.Limits))
	}
	for _, e := range s.options.Engines {
		var wrong string
		switch {
		case !engineName.MatchString(e.Name):
			wrong = "a name has only letters, digits, dots, dashes and underscores: write NAME=SPEC, such as rhino=gtp:gtp-rhino"
		case slices.Contains(s.names, e.Name):
			wrong = "the name is taken: choose another"
		case !e.Spec.IsProgram():
			wrong = fmt.Sprintf("%s is not an external engine: write --player %[1]s", e.Spec)
		default:
			p := newPlayer(e.Name, "given by --engine", e.Spec)
			s.given, s.names = append(s.given, p), append(s.names, p.Name)
			continue
		}
		return engine.InputError{Err: fmt.Errorf("engine %q: %s", e.Name, wrong)}
	}
	for _, p := range plain {
		add(&s.plain, p)
	}
	return nil
}

var engineName = regexp.MustCompile(`^[\w.-]+$`)

// Names returns the names of players that do not depend on runs: a run's model must have another.
func (s *Server) Names() []string { return s.names }

func named(name string) func(player) bool { return func(p player) bool { return p.Name == name } }

// plays reports whether the player plays a game, or might if it has a network.
func (p player) plays(e engine.Game) bool {
	info := e.Info()
	return (p.Kind != players.KindAlphaBeta || info.Estimates) && (p.Kind != players.KindGomocup || info.InARow == 5 && !info.Drops) &&
		(!p.smallBoards || info.Size.Cells() <= 64 || info.QuickPly == 0)
}

// learn takes over what the network's model says.
func (p *player) learn(m engine.ModelInfo) {
	p.Iteration = &m.Iteration
	if p.Simulations == nil && p.Milliseconds == nil {
		p.Simulations = &m.Simulations
	}
}

// player finds a player by its name. It opens no model, so a network may turn out to be for another game.
func (s *Server) player(e engine.Game, name string) (player, error) {
	if name == "" {
		return player{}, answer.BadRequestf("player is missing: set it to a name from /api/players")
	}
	own := slices.Concat(s.given, s.plain)
	if i := slices.IndexFunc(own, named(name)); i >= 0 && own[i].plays(e) {
		return own[i], nil
	}
	if slices.Contains(engine.PretrainedModels(), name) {
		return builtIn(name), nil
	}
	if models := s.Runs.Models(name); len(models) > 0 {
		return models[0].player(), nil
	}
	return player{}, noPlayer(e, name)
}

func noPlayer(e engine.Game, name string) error {
	return answer.BadRequestf("there is no player %q for %s: /api/players lists the players", name, e.Info().Name)
}

// players lists a game's players. Players given by --player come first, and runs, which may know little yet, after the
// built-in models. It fails only when ctx ends.
func (s *Server) players(ctx context.Context, e engine.Game) (all []player, err error) {
	describe := func(path string) (engine.ModelInfo, error) {
		return s.infos.Get(ctx, path, e.Info().Name, func() (engine.ModelInfo, error) { return engine.Describe(e, path) })
	}
	add := func(list ...player) (added bool) {
		for _, p := range list {
			same := func(other player) bool { return other.Network && other.spec.Path == p.spec.Path }
			if !p.plays(e) || p.Network && slices.ContainsFunc(all, same) {
				continue
			}
			if p.Network {
				m, err := describe(p.spec.Path)
				if err != nil {
					continue
				}
				p.learn(m)
				if warning := engine.KomiWarning(e, m.Game); warning != "" {
					p.Note += "; " + warning
				}
			}
			all, added = append(all, p), true
		}
		return added
	}
	add(s.given...)
	for _, name := range engine.PretrainedBy(e, describe) {
		add(builtIn(name))
	}
	able := false // the run's newest model plays the game, and so do the older ones that follow it
	for _, m := range s.Runs.Models("") {
		p := m.player()
		if m.Newest {
			able = add(p)
		} else if able {
			p.Simulations = all[len(all)-1].Simulations
			all = append(all, p)
		}
	}
	add(s.plain...)
	return all, ctx.Err()
}

func (s *Server) servePlayers(w http.ResponseWriter, r *http.Request, q answer.Query) error {
	e, err := gameOf(q)
	if err != nil {
		return err
	}
	all, err := s.players(r.Context(), e)
	if err != nil {
		return err
	}
	return answer.JSON(w, r, map[string]any{"game": e.Info().Name, "players": all, "levels": levels(e, all)})
}

// LevelJSON is one of engine.Levels: a player, and its simulations or depth if the level limits them.
type LevelJSON struct {
	Name        string `json:"name"`
	Player      string `json:"player"`
	Simulations *int   `json:"simulations"`
	Depth       *int   `json:"depth"`
}

// levels returns the levels whose player is in all.
func levels(e engine.Game, all []player) []LevelJSON {
	list := []LevelJSON{}
	for _, name := range engine.Levels {
		spec, err := engine.Level(e, name)
		same := func(p player) bool {
			return p.spec.Kind == spec.Kind && p.spec.Path == spec.Path && p.spec.Exploration == spec.Exploration
		}
		i := slices.IndexFunc(all, same)
		if err != nil || i < 0 {
			continue
		}
		l := LevelJSON{Name: name, Player: all[i].Name}
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

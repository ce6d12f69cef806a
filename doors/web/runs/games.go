package runs

import (
	"net/http"
	"strconv"

	"tengen/doors/web/answer"
	"tengen/engine"
	"tengen/game"
	"tengen/replay"
	"tengen/run"
)

// GameJSON is a self-play game in a list.
type GameJSON struct {
	ID     uint64  `json:"id"` // number
	Worker string  `json:"worker"`
	Model  uint64  `json:"model"`
	Plies  int     `json:"plies"`
	Winner *string `json:"winner"`
	Moves  string  `json:"moves"`
	Error  *string `json:"error"`
}

const (
	defaultGamesOfRun = 50
	maxGamesOfRun     = 500
)

func (s *Server) serveGames(w http.ResponseWriter, r *http.Request, q answer.Query, run *Run) error {
	count, err := q.Number("count", defaultGamesOfRun, 1, maxGamesOfRun)
	if err != nil {
		return err
	}
	first, err := q.Number("first", 0, -1<<53, 1<<53)
	if err != nil {
		return err
	}
	games, err := run.games(r.Context())
	if err != nil {
		return err
	}
	defer games.Close()
	oldest, end := games.Span()
	from := max(uint64(max(first, 0)), oldest)
	if first < 0 {
		from = max(end-min(uint64(-first), end), oldest)
	}
	list := []GameJSON{}
	err = run.read(r.Context(), games, from, func(e replay.Entry) error {
		list = append(list, describeGameOfRun(games, e))
		if len(list) == count {
			return errEnough
		}
		return nil
	})
	if err != nil {
		return err
	}
	j := map[string]any{"oldest": nil, "newest": nil, "games": list}
	if end > 0 {
		j["oldest"], j["newest"] = oldest, end-1
	}
	return answer.JSON(w, r, j)
}

func describeGameOfRun(games *run.Run, e replay.Entry) GameJSON {
	j := GameJSON{ID: e.Number, Worker: e.Worker}
	if err := games.Check(e); err != nil {
		j.Error = new(err.Error())
		return j
	}
	g := e.Game
	j.Model, j.Plies = g.Model, len(g.Moves)
	j.Winner, j.Moves = new(g.Winner()), games.Game.Format(g.Moves...)
	return j
}

// plyJSON is a move with its search's results. The value is for the side to move.
type plyJSON struct {
	Move        string             `json:"move"`
	Action      game.Action        `json:"action"`
	By          string             `json:"by"`
	Opening     bool               `json:"opening"`
	Value       *float32           `json:"value"`
	Simulations *uint32            `json:"simulations"`
	Policy      map[string]float32 `json:"policy"`
	Weight      *float64           `json:"weight"`
}

func (s *Server) serveGame(w http.ResponseWriter, r *http.Request, _ answer.Query, run *Run) error {
	id, err := strconv.ParseUint(r.PathValue("n"), 10, 63)
	if err != nil {
		return answer.BadRequestf("%q is not a game number: write 0 or more", r.PathValue("n"))
	}
	games, err := run.games(r.Context())
	if err != nil {
		return err
	}
	defer games.Close()
	found := replay.Entry{Number: id + 1} // not id until the game is found
	err = run.read(r.Context(), games, id, func(e replay.Entry) error {
		found = e
		return errEnough
	})
	switch {
	case err != nil:
		return err
	case found.Number != id:
		return answer.Error{Status: http.StatusNotFound, Text: "the run does not hold game " + r.PathValue("n")}
	}
	if err := games.Check(found); err != nil {
		return answer.Error{Status: http.StatusNotFound, Text: err.Error()}
	}
	return answer.JSON(w, r, describeRecord(games.Game, found))
}

// RecordJSON is a finished game of a run.
type RecordJSON struct {
	ID     uint64    `json:"id"`
	Game   string    `json:"game"`
	Worker string    `json:"worker"`
	Model  uint64    `json:"model"`
	Seed   uint64    `json:"seed"`
	Moves  string    `json:"moves"`
	Winner string    `json:"winner"`
	End    string    `json:"end"`
	Plies  []plyJSON `json:"plies"`
}

func describeRecord(e engine.Game, entry replay.Entry) RecordJSON {
	g := entry.Game
	j := RecordJSON{
		ID: g.Number, Game: e.Info().Name, Worker: entry.Worker, Model: g.Model, Seed: g.Seed,
		Moves: e.Format(g.Moves...), Winner: g.Winner(), End: run.DescribeEnd(g), Plies: []plyJSON{},
	}
	position := e.Start()
	for ply, name := range position.Names(g.Moves) {
		p := plyJSON{Move: name, Action: g.Moves[ply], By: engine.SideName(game.Mover(ply)), Opening: ply < g.Opening}
		if !p.Opening {
			row := ply - g.Opening
			p.Value, p.Simulations = &g.Values[row], &g.Simulations[row]
			p.Weight, p.Policy = new(float64(g.Weights[row])/replay.FullWeight), map[string]float32{}
			for action, share := range g.Policy.Shares(row) {
				p.Policy[position.Format(action)] = share
			}
		}
		j.Plies = append(j.Plies, p)
		position, _ = position.Play(g.Moves[ply])
	}
	return j
}

package positions

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"tengen/doors/web/answer"
	"tengen/engine"
	"tengen/game"
)

// GameJSON describes a game in the answer of /api/games.
type GameJSON struct {
	Name   string `json:"name"`
	Title  string `json:"title"`
	Family string `json:"family"`
	boardJSON
}

// boardJSON is what all positions of a game have in common.
type boardJSON struct {
	Rules   string     `json:"rules,omitempty"` // in a sentence or two
	Columns int        `json:"columns"`
	Rows    int        `json:"rows"`
	Joins   game.Joins `json:"joins,omitempty"` // pairs of cells that a line joins; the other cells are none
	Drops   bool       `json:"drops"`
	InARow  *int       `json:"in_a_row"`
	Across  []string   `json:"column_labels"`
	Down    []string   `json:"row_labels"`
}

func describeGame(info engine.Info) GameJSON {
	family, _, _ := strings.Cut(info.Name, ":")
	g := GameJSON{info.Name, info.Title, family, boardJSON{
		Rules: info.Sentence, Columns: info.Size.Columns, Rows: info.Size.Rows, Joins: info.Joins, Drops: info.Drops,
		Across: info.Columns, Down: info.Rows,
	}}
	if info.InARow > 0 {
		g.InARow = &info.InARow
	}
	return g
}

func (s *Server) serveGames(w http.ResponseWriter, r *http.Request, _ answer.Query) error {
	return answer.JSON(w, r, s.Games(r.Context()))
}

// GamesJSON lists the games that a page should offer, and what the server allows.
type GamesJSON struct {
	Families []string   `json:"families"`
	Games    []GameJSON `json:"games"`
	Limits   any        `json:"limits"`
	Training bool       `json:"training"`
	Version  string     `json:"version"`
}

// Games returns the games for the menu. The games of runs and of Options.Players come first.
func (s *Server) Games(ctx context.Context) GamesJSON {
	j := GamesJSON{Families: engine.Families(), Training: s.Runs.Training, Version: s.version}
	for _, name := range slices.Concat(s.Runs.Games(ctx), s.games, engine.Boards()) {
		e, err := engine.Open(name)
		if err == nil && !slices.ContainsFunc(j.Games, func(g GameJSON) bool { return g.Name == e.Info().Name }) {
			j.Games = append(j.Games, describeGame(e.Info()))
		}
	}
	j.Limits = struct {
		answer.Limits
		Milliseconds int64 `json:"milliseconds"`
		Searches     int   `json:"searches"`
	}{s.options.Limits, s.options.Limits.Time.Milliseconds(), s.options.Searches}
	return j
}

// PositionJSON has what a client needs to draw a position and continue from it.
type PositionJSON struct {
	Game   string `json:"game"`
	Moves  string `json:"moves"`
	Ply    int    `json:"ply"`
	ToMove string `json:"to_move"`
	boardJSON
	Cells    []int          `json:"cells"`               // 0 empty, 1 the first player's, 2 the second's
	Texts    []string       `json:"texts,omitempty"`     // on the cells
	Tiles    bool           `json:"tiles,omitempty"`     // free cells have texts at the start, as numbers to take do
	Tally    *string        `json:"tally,omitempty"`     // "" for now, left out if the game has none
	Last     *int           `json:"last"`                // the cell where the last move went; a pass does not count
	From     *int           `json:"last_from,omitempty"` // the cell where it came from
	Changed  []int          `json:"changed"`             // the cells that it took or turned
	Legal    []legalJSON    `json:"legal"`
	Over     bool           `json:"over"`
	Winner   *string        `json:"winner"`
	Margin   *float64       `json:"margin,omitempty"`   // by which the first player has won, if the game has scores
	Owners   []int          `json:"owners,omitempty"`   // at the end, whom the cells count for, as in Cells; left out if only pieces count
	Refusals map[int]string `json:"refusals,omitempty"` // by free cell, why it may not get a stone, as far as the game says it
	Line     []int          `json:"line"`
	History  []playedJSON   `json:"history"`
	Text     string         `json:"text"`
}

// moveJSON is a move with its game.Target.
type moveJSON struct {
	Move   string      `json:"move"`
	Action game.Action `json:"action"`
	Cell   *int        `json:"cell"`           // where the move goes, null if to no cell
	From   *int        `json:"from,omitempty"` // where it comes from, left out if from no cell
	Word   string      `json:"word,omitempty"`
}

func describeMove(name string, a game.Action, t game.Target) moveJSON {
	return moveJSON{name, a, cellOrNull(t.To), cellOrNull(t.From), t.Word}
}

// legalJSON is a legal move, and the cells that select it, for a piece that moves once From is selected.
type legalJSON struct {
	moveJSON
	Cells []int `json:"cells"`
}

type playedJSON struct {
	moveJSON
	By string `json:"by"`
}

func (s *Server) servePosition(w http.ResponseWriter, r *http.Request, q answer.Query) error {
	e, p, err := s.position(q)
	if err != nil {
		return err
	}
	return answer.JSON(w, r, describePosition(e, p))
}

// holders are the numbers of the sides in PositionJSON.Cells.
var holders = map[game.Side]int{game.First: 1, game.Second: 2}

func numbers(sides []game.Side) []int {
	list := make([]int, len(sides))
	for i, side := range sides {
		list[i] = holders[side]
	}
	return list
}

func describePosition(e engine.Game, p engine.Position) PositionJSON {
	info := e.Info()
	g := describeGame(info)
	j := PositionJSON{
		Game: g.Name, boardJSON: g.boardJSON, Moves: p.Notation(), Ply: len(p.Moves), ToMove: engine.SideName(p.ToMove),
		Cells: numbers(p.Cells), Owners: numbers(p.Owners()), Refusals: p.Refusals(), Last: cellOrNull(p.Last.To), From: cellOrNull(p.Last.From),
		Changed: append([]int{}, p.Changed...), Legal: legalMoves(e, p),
		Texts: p.Texts, Tiles: hasTiles(e.Start()), Over: p.Over, Line: append([]int{}, p.WonBy()...), History: history(e, p), Text: p.String(),
	}
	if info.Tallied {
		j.Tally = &p.Tally
	}
	if p.Over {
		winner := p.Winner()
		j.Winner = &winner
		if margin, scored := p.Margin(); scored {
			j.Margin = &margin
		}
	}
	return j
}

// hasTiles reports whether a game starts with texts on free cells. Otherwise, most texts are the kinds of pieces.
func hasTiles(start engine.Position) bool {
	for i, text := range start.Texts {
		if text != "" && start.Cells[i] == game.Nobody {
			return true
		}
	}
	return false
}

// cellOrNull returns a pointer to cell, or nil if it is negative.
func cellOrNull(cell int) *int {
	if cell < 0 {
		return nil
	}
	return &cell
}

func legalMoves(e engine.Game, p engine.Position) []legalJSON {
	info := e.Info()
	list := make([]legalJSON, len(p.Legal))
	for i, a := range p.Legal {
		target := p.Target(a)
		list[i] = legalJSON{moveJSON: describeMove(p.Format(a), a, target), Cells: []int{}}
		switch {
		case info.Drops: // a click anywhere on the column drops the stone
			for c := target.To % info.Size.Columns; c < info.Size.Cells(); c += info.Size.Columns {
				list[i].Cells = append(list[i].Cells, c)
			}
		case target.To >= 0:
			list[i].Cells = append(list[i].Cells, target.To)
		}
	}
	return list
}

func history(e engine.Game, p engine.Position) []playedJSON {
	list := make([]playedJSON, len(p.Moves))
	names := e.Start().Names(p.Moves)
	for i, target := range e.Start().Targets(p.Moves) {
		list[i] = playedJSON{describeMove(names[i], p.Moves[i], target), engine.SideName(game.Mover(i))}
	}
	return list
}

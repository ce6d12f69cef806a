package jsonlines

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"

	"tengen/engine"
	"tengen/game"
	"tengen/players"
)

// answer is a line of output: an error or one of the embedded answers. In JSON, []byte is base64.
type answer struct {
	ID    json.RawMessage `json:"id,omitempty"` // of the request
	Error string          `json:"error,omitempty"`
	*description
	*observation
	*choice
	*rendering
	*solution
}

// description is the answer to describe.
type description struct {
	Protocol    int     `json:"protocol"`
	Game        string  `json:"game"`
	Games       int     `json:"games"`
	Observation [3]int  `json:"observation"` // planes, rows, columns
	Actions     int     `json:"actions"`
	Opponent    *string `json:"opponent"`
	AutoReset   bool    `json:"auto_reset"`
	Stones      bool    `json:"stones"` // whether it is a placement game
}

func (s *server) describe() *description {
	planes, board := s.games.Shape()
	d := &description{
		Protocol:    Version,
		Game:        s.info.Name,
		Games:       s.games.Len(),
		Observation: [3]int{planes, board.Rows, board.Columns},
		Actions:     s.info.Actions,
		AutoReset:   s.config.AutoReset,
		Stones:      s.info.Placement,
	}
	if s.config.Opponent != (players.Spec{}) {
		name := s.config.Opponent.String()
		d.Opponent = &name
	}
	return d
}

// observation is the answer to reset, step and observe.
type observation struct {
	Observations bits   `json:"observations"` // [games, planes, rows, columns]
	Masks        bits   `json:"masks"`        // [games, actions], 1 for legal moves
	Rewards      []byte `json:"rewards"`      // [games] int8
	Terminated   []byte `json:"terminated"`   // [games] 1 for games that are over
	Players      []byte `json:"players"`      // [games] the viewer: 0 the first player, 1 the second
}

// bits is an array of 0s and 1s: element i is bit i%8 of byte i/8.
type bits []byte

func newBits(n int) bits { return make(bits, (n+7)/8) }

func (b bits) set(i int) { b[i>>3] |= 1 << (i & 7) }

// observe returns each game in its viewer's view.
func (s *server) observe(viewer func(game int) game.Side) *observation {
	n, actions := s.games.Len(), s.info.Actions
	count, board := s.games.Shape()
	planes := make([]float32, count*board.Cells())
	seen := &observation{newBits(n * len(planes)), newBits(n * actions), make([]byte, n), make([]byte, n), make([]byte, n)}
	for i := range n {
		side := viewer(i)
		s.games.Observe(i, side, planes)
		for k, value := range planes {
			if value != 0 {
				seen.Observations.set(i*len(planes) + k)
			}
		}
		for _, a := range s.games.Legal(i) {
			seen.Masks.set(i*actions + int(a))
		}
		_, over := s.games.Outcome(i)
		seen.Rewards[i] = byte(int8(s.games.Reward(i)))
		seen.Terminated[i] = flag(over)
		seen.Players[i] = flag(side == game.Second)
	}
	return seen
}

func flag(is bool) byte {
	if is {
		return 1
	}
	return 0
}

// choice is the answer to legal.
type choice struct {
	Legal [][2]any `json:"legal"` // the numbers and names of the legal moves, by number
}

func (s *server) legal(i int) (*choice, error) {
	if err := s.check(i); err != nil {
		return nil, err
	}
	p, c := s.position(i), &choice{[][2]any{}}
	for _, a := range s.games.Legal(i) {
		c.Legal = append(c.Legal, [2]any{a, p.Format(a)})
	}
	return c, nil
}

// check returns an error unless there is a game i.
func (s *server) check(i int) error {
	if i < 0 || i >= s.games.Len() {
		return fmt.Errorf("game %d does not exist: there are 0 to %d", i, s.games.Len()-1)
	}
	return nil
}

// rendering is the answer to render.
type rendering struct {
	Text  string `json:"text"`
	Moves string `json:"moves"` // in the game's notation
	Cells []byte `json:"cells"` // [rows, columns] int8: 1 first player, -1 second, 0 empty; null without a board
	Last  int    `json:"last"`  // the cell where the last move went, apart from passes; -1 if there is none
	From  int    `json:"from"`  // the cell where it came from, -1 if there is none
	Line  []int  `json:"line"`  // the winning cells
}

func (s *server) render(i int) (*rendering, error) {
	if err := s.check(i); err != nil {
		return nil, err
	}
	p := s.position(i)
	r := &rendering{Text: p.String(), Moves: p.Notation(), Last: p.Last.To, From: p.Last.From, Line: p.WonBy()}
	for _, side := range p.Cells {
		r.Cells = append(r.Cells, byte(side))
	}
	return r, nil
}

func (s *server) position(i int) engine.Position {
	p, _ := s.engine.Replay(s.games.Moves(i)) // which are legal
	return p
}

// solution is the answer to solve.
type solution struct {
	Scores []byte `json:"scores"` // [games, actions] int32, for the side to move; 0 for moves that are not legal
}

// solve may take long. It stops when ctx ends.
func (s *server) solve(ctx context.Context) (*solution, error) {
	if s.solver == nil {
		var err error
		if s.solver, err = s.engine.Solver(engine.DefaultSolverOptions()); err != nil {
			return nil, err
		}
	}
	actions := s.info.Actions
	scores := make([]byte, 4*actions*s.games.Len())
	for i := range s.games.Len() {
		p := s.position(i)
		if p.Over {
			continue
		}
		found, err := s.solver.Solve(ctx, p, true)
		if err != nil {
			return nil, fmt.Errorf("game %d: %w", i, err)
		}
		for k, a := range p.Legal {
			binary.LittleEndian.PutUint32(scores[4*(i*actions+int(a)):], uint32(found.Scores[k]))
		}
	}
	return &solution{scores}, nil
}

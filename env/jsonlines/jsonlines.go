// Package jsonlines lets programs in other languages step games: requests and answers are JSON objects, one a line.
// docs/environments.md describes them.
package jsonlines

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"tengen/arena"
	"tengen/engine"
	"tengen/game"
)

// Version is that of the requests and answers: it changes when a program that knows the earlier ones would not understand them.
const Version = 1

// longestLine is the length of a request, in bytes, that is still read: a step of the most games takes less.
const longestLine = 1 << 20

// Serve answers the requests of in until there are no more, in their order, each by a line on out. What cannot be done is answered
// with an error, and leaves everything as it was. The error of Serve is that of in, of out, or of ctx.
func Serve(ctx context.Context, e engine.Engine, c engine.EnvironmentConfig, in io.Reader, out io.Writer) error {
	s, err := newServer(e, c)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	lines, unreadable := make(chan []byte), error(nil)
	go func() {
		defer close(lines)
		scanner := bufio.NewScanner(in)
		scanner.Buffer(nil, longestLine)
		for scanner.Scan() {
			select {
			case lines <- slices.Clone(scanner.Bytes()):
			case <-ctx.Done():
				return
			}
		}
		unreadable = scanner.Err()
	}()
	encoder := json.NewEncoder(out)
	for {
		select {
		case line, ok := <-lines:
			if !ok && unreadable != nil {
				return fmt.Errorf("cannot read a request: %w", unreadable)
			} else if !ok {
				return nil
			}
			if err := encoder.Encode(s.answer(ctx, line)); err != nil {
				return fmt.Errorf("cannot answer: %w", err)
			}
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// server answers requests about its games.
type server struct {
	engine engine.Engine
	config engine.EnvironmentConfig
	games  engine.Environment
	solver engine.Solver // nil before the first question to it

	planes []float32 // of one game, scratch
	seen   observation
}

func newServer(e engine.Engine, c engine.EnvironmentConfig) (*server, error) {
	games, err := e.Environment(c)
	if err != nil {
		return nil, err
	}
	n := games.Len()
	planes, board := games.Shape()
	size := planes * board.Cells()
	return &server{engine: e, config: c, games: games, planes: make([]float32, size), seen: observation{
		Observations: newBits(n * size), Masks: newBits(n * games.Actions()),
		Rewards: make([]byte, n), Terminated: make([]byte, n), Players: make([]byte, n),
	}}, nil
}

// failure is the answer where there is no other.
type failure struct {
	ID    json.RawMessage `json:"id,omitempty"`
	Error string          `json:"error"`
}

// answer is that to one line.
func (s *server) answer(ctx context.Context, line []byte) any {
	r, err := parse(line)
	var answer any
	switch {
	case err != nil:
	case r.Describe:
		answer = s.describe(r)
	case r.Reset != nil:
		if err = s.reset(ctx, r.Reset); err == nil {
			answer = s.observe(r, nil)
		}
	case r.Step != nil:
		if err = s.games.Step(ctx, r.Step); err == nil {
			answer = s.observe(r, nil)
		}
	case r.Observe != "":
		var side game.Side
		if side, err = parseSide(r.Observe); err == nil {
			answer = s.observe(r, &side)
		}
	case r.Render != nil:
		answer, err = s.render(r)
	case r.Solve:
		answer, err = s.solve(ctx, r)
	}
	if err != nil {
		return failure{r.ID, err.Error()}
	}
	return answer
}

// parseSide reads the name of a side.
func parseSide(name string) (game.Side, error) {
	for _, side := range []game.Side{game.First, game.Second} {
		if engine.SideName(side) == name {
			return side, nil
		}
	}
	return game.Nobody, fmt.Errorf("side %q: write %s or %s", name, engine.SideName(game.First), engine.SideName(game.Second))
}

// description is the answer to describe.
type description struct {
	ID          json.RawMessage `json:"id,omitempty"`
	Protocol    int             `json:"protocol"`
	Game        string          `json:"game"`
	Games       int             `json:"games"`
	Observation [3]int          `json:"observation"` // planes, rows, columns
	Actions     int             `json:"actions"`
	Opponent    *string         `json:"opponent"`
	AutoReset   bool            `json:"auto_reset"`
	Stones      bool            `json:"stones"` // the cells tell the position
}

func (s *server) describe(r request) description {
	planes, board := s.games.Shape()
	d := description{
		ID: r.ID, Protocol: Version, Game: s.engine.Info().Name, Games: s.games.Len(),
		Observation: [3]int{planes, board.Rows, board.Columns}, Actions: s.games.Actions(), AutoReset: s.config.AutoReset,
	}
	start := s.engine.Start()
	d.Stones = start.Landing(start.Legal[0]) >= 0
	if s.config.Opponent != (arena.Spec{}) {
		name := s.config.Opponent.String()
		d.Opponent = &name
	}
	return d
}

func (s *server) reset(ctx context.Context, r *reset) error {
	if r.Seed != nil {
		return s.games.ResetTo(ctx, *r.Seed, r.Games)
	}
	return s.games.Reset(ctx, r.Games)
}

// observation is the answer to reset, step and observe. Bytes are written as base64.
type observation struct {
	ID           json.RawMessage `json:"id,omitempty"`
	Observations bits            `json:"observations"` // [games, planes, rows, columns]
	Masks        bits            `json:"masks"`        // [games, actions], 1 for legal moves
	Rewards      []byte          `json:"rewards"`      // [games] int8
	Terminated   []byte          `json:"terminated"`   // [games] 1 for games that are over
	Players      []byte          `json:"players"`      // [games] whose view it is: 0 the first player's, 1 the second's
}

// bits are an array of 0s and 1s: element i is bit i%8 of byte i/8.
type bits []byte

func newBits(n int) bits { return make(bits, (n+7)/8) }

// set makes element i a 1.
func (b bits) set(i int) { b[i>>3] |= 1 << (i & 7) }

// observe answers with what the caller sees of the games, or with what a side sees. The answer is overwritten by the next.
func (s *server) observe(r request, side *game.Side) *observation {
	seen := &s.seen
	seen.ID = r.ID
	clear(seen.Observations)
	clear(seen.Masks)
	for i := range s.games.Len() {
		viewer := s.games.Viewer(i)
		if side != nil {
			viewer = *side
		}
		s.games.Observe(i, viewer, s.planes)
		for k, what := range s.planes {
			if what != 0 {
				seen.Observations.set(i*len(s.planes) + k)
			}
		}
		for _, a := range s.games.Legal(i) {
			seen.Masks.set(i*s.games.Actions() + int(a))
		}
		seen.Rewards[i] = byte(int8(s.games.Reward(i)))
		_, over := s.games.Outcome(i)
		seen.Terminated[i] = flag(over)
		seen.Players[i] = flag(viewer == game.Second)
	}
	return seen
}

// flag is 1 or 0.
func flag(is bool) byte {
	if is {
		return 1
	}
	return 0
}

// rendering is the answer to render.
type rendering struct {
	ID    json.RawMessage `json:"id,omitempty"`
	Text  string          `json:"text"`
	Moves string          `json:"moves"` // in the game's notation
	Cells []byte          `json:"cells"` // [rows, columns] int8: 1 the first player's, -1 the second's, 0 empty; null where there is no board
	Last  int             `json:"last"`  // the cell of the last move, -1 if there is none
	Line  []int           `json:"line"`  // the cells that have won
}

func (s *server) render(r request) (rendering, error) {
	i := *r.Render
	if i < 0 || i >= s.games.Len() {
		return rendering{}, fmt.Errorf("game %d does not exist, there are 0 to %d", i, s.games.Len()-1)
	}
	p := s.games.Position(i)
	answer := rendering{ID: r.ID, Text: s.games.Render(i), Moves: s.engine.FormatMoves(p.Moves), Last: p.Last, Line: p.WonBy()}
	for _, side := range p.Cells {
		answer.Cells = append(answer.Cells, byte(side))
	}
	return answer, nil
}

// solution is the answer to solve.
type solution struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Scores []byte          `json:"scores"` // [games, actions] int32, for the side to move; 0 for moves that are not legal
}

// solve answers with what each move is worth. It takes as long as it takes, but ends with ctx.
func (s *server) solve(ctx context.Context, r request) (solution, error) {
	if s.solver == nil {
		var err error
		if s.solver, err = s.engine.Solver(engine.DefaultSolverOptions()); err != nil {
			return solution{}, err
		}
	}
	n := s.games.Actions()
	scores := make([]byte, 4*n*s.games.Len())
	for i := range s.games.Len() {
		p := s.games.Position(i)
		if len(s.games.Legal(i)) == 0 {
			continue
		}
		found, err := s.solver.Solve(ctx, p, true)
		if err != nil {
			return solution{}, fmt.Errorf("game %d: %w", i, err)
		}
		for k, a := range p.Legal {
			binary.LittleEndian.PutUint32(scores[4*(i*n+int(a)):], uint32(int32(found.Scores[k])))
		}
	}
	return solution{r.ID, scores}, nil
}

package gtp

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"tengen/doors/manager"
	"tengen/engine"
	"tengen/engine/transcript"
	"tengen/game"
	"tengen/internal/files"
)

type session struct {
	*manager.Session[command]
	options Options
	board   *board
	clocks  map[game.Side]*manager.Clock // of sides with a limit
	byoYomi time.Duration                // of all its stones
	begun   bool                         // an answer has begun, but not ended
	endless bool                         // the thought ends at the next command
}

// newSession returns a session at the start of a game. It fails if no player can play it.
func newSession(out io.Writer, o Options) (*session, error) {
	s := &session{options: o, clocks: map[game.Side]*manager.Clock{}}
	o.Interval = 100 * time.Millisecond
	s.Session = manager.New(s, out, o.Options)
	return s, s.open(o.Game)
}

// open begins a game. After an error, the session keeps the game before.
func (s *session) open(g engine.Game) error {
	info, before := g.Info(), s.Players
	if info.Size.Cells() == 0 {
		return fmt.Errorf("%s has no board of cells: choose another game", info.Name)
	}
	if s.options.Players == nil {
		s.Players = DefaultPlayers(g)
	}
	if err := s.Wake(g, 0); err != nil {
		s.Players = before
		return err
	}
	s.board = &board{game: g, info: info, position: g.Start()}
	for _, c := range s.clocks {
		c.Start()
	}
	return nil
}

// Obey obeys a command.
func (s *session) Obey(ctx context.Context, c command) error {
	s.end()
	err := c.parse()
	if err != nil {
		return err
	}
	answer, err := s.answer(ctx, c)
	switch {
	case err != nil:
		return err
	case !s.begun:
		s.Say("%s\n", strings.TrimRight("="+c.id+" "+answer, " "))
	case answer != "":
		s.Say("%s", answer)
		s.end()
	}
	return nil
}

// answer obeys a command and returns its answer. If an answer has begun, this is its last line, or "" if it goes on until
// the next command.
func (s *session) answer(ctx context.Context, c command) (answer string, err error) {
	b := s.board
	var next engine.Game
	var moves []game.Action // from its start
	switch c.name {
	case "protocol_version":
		return "2", nil
	case "name":
		return s.options.Name, nil
	case "version":
		return s.options.Version, nil
	case "list_commands":
		return strings.Join(slices.Sorted(maps.Keys(wants)), "\n"), nil
	case "known_command":
		_, known := wants[c.args[0]]
		return strconv.FormatBool(known), nil
	case "list_games":
		return strings.Join(engine.Boards(), "\n"), nil
	case "showboard":
		return b.drawing(), nil
	case "final_score":
		return b.score()
	case "quit":
		s.Over = true
	case "komi": // no game has one, but managers always send it
	case "set_game":
		next, err = engine.Open(c.args[0])
	case "boardsize", "rectangular_boardsize":
		next, err = b.resized(game.Size{Columns: int(c.numbers[0]), Rows: int(c.numbers[min(1, len(c.numbers)-1)])})
	case "clear_board":
		next = b.game
	case "loadsgf":
		next, moves, err = s.load(c)
	case "undo":
		return "", b.undo()
	case "play":
		p, err := b.turn(c.side)
		if err != nil {
			return "", err
		}
		a, err := b.move(p, c.args[1])
		if err != nil {
			return "", err
		}
		return "", b.play(p, a)
	case "time_settings":
		s.setTime(seconds(c.numbers[0]), seconds(c.numbers[1]), int(c.numbers[2]))
	case "time_left":
		s.setLeft(c.side, seconds(c.numbers[0]), int(c.numbers[1]))
	case "set_random_seed":
		s.Seed = uint64(c.numbers[0])
		s.Forget()
	default:
		return s.think(ctx, c)
	}
	if err == nil && next != nil {
		err = s.open(next)
	}
	for i := 0; i < len(moves) && err == nil; i++ {
		err = s.board.play(s.board.position, moves[i])
	}
	return "", err
}

// end ends the answer that has begun, if any.
func (s *session) end() {
	if s.begun {
		s.Say("")
		s.begun = false
	}
}

// Refuse answers with the reason, unless the answer has begun.
func (s *session) Refuse(c command, err error) {
	if s.begun {
		s.end()
		return
	}
	s.Say("?%s %s\n", c.id, manager.OneLine(err.Error()))
}

// Hear has all commands wait during a thought. quit ends it, and any command ends an analysis.
func (s *session) Hear(c command) (ends, waits bool) { return s.endless || c.name == "quit", true }

// Note writes a failure to the log.
func (s *session) Note(err error) { fmt.Fprintln(s.options.Log, manager.OneLine(err.Error())) }

// Resources returns no limits: the protocol has none.
func (*session) Resources() manager.Resources { return manager.Resources{} }

// longest is more than any limit.
const longest = 1000 * time.Hour

// seconds returns a time, from 0 to the longest.
func seconds(n float64) time.Duration {
	return time.Duration(min(max(0, n), longest.Seconds()) * float64(time.Second))
}

// setTime gives both sides main time and byo-yomi time for some stones. Byo-yomi for no stones means no limit.
func (s *session) setTime(main, byoYomi time.Duration, stones int) {
	s.clocks, s.byoYomi = map[game.Side]*manager.Clock{}, byoYomi
	if byoYomi > 0 && stones <= 0 {
		return
	}
	for _, side := range colours {
		c := &manager.Clock{Match: main + byoYomi, Increment: byoYomi / time.Duration(max(1, stones))}
		if c.Match > 0 {
			c.Turn = longest
		}
		c.Start()
		s.clocks[side] = c
	}
}

// setLeft tells the time that a side has left, for so many stones in byo-yomi.
func (s *session) setLeft(side game.Side, left time.Duration, stones int) {
	c := s.clocks[side]
	if c == nil {
		c = &manager.Clock{}
		s.clocks[side] = c
	}
	c.Turn, c.Left, c.Limited, c.LeftSet = longest, left+s.byoYomi, true, true
	if stones > 0 {
		c.Turn, c.Left = left/time.Duration(stones), left
	}
}

// maxFile is the size of the largest file that is read, in bytes.
const maxFile = 1 << 20

// load reads the main line of a file, up to before a move if its number is given.
func (s *session) load(c command) (engine.Game, []game.Action, error) {
	content, err := files.Read(c.args[0], maxFile)
	var g transcript.Game
	if err == nil {
		g, err = transcript.Read(s.board.game, string(content))
	}
	if err != nil {
		return nil, nil, fmt.Errorf("cannot load file: %w", err)
	}
	moves := g.Lines[0].Moves
	if len(c.numbers) > 0 {
		moves = moves[:min(max(0, int(c.numbers[0])-1), len(moves))]
	}
	return g.Game, moves, nil
}

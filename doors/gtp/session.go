package gtp

import (
	"context"
	"errors"
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
	"tengen/players"
)

type session struct {
	*manager.Session[command]
	options Options
	board   *board
	komi    *float64                     // that the manager has given; nil: none
	clocks  map[game.Side]*manager.Clock // of sides with a limit
	limits  command                      // time_settings, or no name
	byoYomi time.Duration                // of all its stones
	begun   bool                         // an answer has begun, but not ended
	endless bool                         // the thought ends at the next command
}

// newSession returns a session at the start of a game. It fails if no player can play it.
func newSession(out io.Writer, o Options) (*session, error) {
	s := &session{options: o}
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
	s.clocks = map[game.Side]*manager.Clock{}
	s.warnOfKomi()
	if s.limits.name != "" {
		return s.setTime(s.limits)
	}
	return nil
}

// warnOfKomi notes which networks do not know the board's komi.
func (s *session) warnOfKomi() {
	for _, p := range s.Players {
		if p.Kind != players.KindNet || s.board.info.Komi == nil {
			continue
		}
		m, _, err := engine.OpenModel(p.Path)
		if err != nil {
			s.Note(err)
		} else if warning := engine.KomiWarning(s.board.game, m.Game); warning != "" {
			s.Note(fmt.Errorf("%s: %s", p, warning))
		}
	}
}

// Obey obeys a command.
func (s *session) Obey(ctx context.Context, c command) error {
	s.end()
	err := c.parse()
	if err != nil {
		return err
	}
	answer, err := commands[c.name].do(s, ctx, c)
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

// handler obeys a command and returns its answer: after session.begun, only the last line, or "" if the answer continues
// until the next command.
type handler func(s *session, ctx context.Context, c command) (answer string, err error)

func says(text func(s *session) string) handler {
	return func(s *session, _ context.Context, _ command) (string, error) { return text(s), nil }
}

func does(effect func(s *session, c command) error) handler {
	return func(s *session, _ context.Context, c command) (string, error) { return "", effect(s, c) }
}

// known is a command that is obeyed.
type known struct {
	wants string // what the arguments must be at least: colours, words or numbers
	do    handler
	shows *form // of the thoughts that the command shows, if any
}

var commands map[string]known // by name

func init() { // because commands list themselves
	commands = map[string]known{
		"protocol_version": {do: says(func(*session) string { return "2" })},
		"name":             {do: says(func(s *session) string { return s.options.Name })},
		"version":          {do: says(func(s *session) string { return s.options.Version })},
		"list_commands":    {do: says(func(*session) string { return strings.Join(slices.Sorted(maps.Keys(commands)), "\n") })},
		"list_games":       {do: says(func(*session) string { return strings.Join(engine.Boards(), "\n") })},
		"showboard":        {do: says(func(s *session) string { return s.board.drawing() })},
		"quit":             {do: says(func(s *session) string { s.Over = true; return "" })},
		"known_command": {wants: "name", do: func(_ *session, _ context.Context, c command) (string, error) {
			return strconv.FormatBool(commands[c.args[0]].do != nil), nil
		}},
		"final_score": {do: func(s *session, _ context.Context, _ command) (string, error) { return s.board.score() }},

		"set_game":              {wants: "name", do: does((*session).setGame)},
		"komi":                  {wants: "points", do: does((*session).setKomi)},
		"boardsize":             {wants: "side", do: does((*session).resize)},
		"rectangular_boardsize": {wants: "columns rows", do: does((*session).resize)},
		"clear_board":           {do: does(func(s *session, _ command) error { return s.open(s.board.game) })},
		"loadsgf":               {wants: "file", do: does((*session).load)},
		"play":                  {wants: "colour vertex", do: does((*session).play)},
		"undo":                  {do: does(func(s *session, _ command) error { return s.board.undo() })},
		"time_settings":         {wants: "seconds seconds stones", do: does((*session).setTime)},
		"time_left":             {wants: "colour seconds stones", do: does((*session).setLeft)},
		"set_random_seed":       {wants: "number", do: does((*session).setSeed)},

		"genmove":              {wants: "colour", do: (*session).think},
		"reg_genmove":          {wants: "colour", do: (*session).think},
		"lz-analyze":           {do: (*session).think, shows: leela},
		"kata-analyze":         {do: (*session).think, shows: kata},
		"lz-genmove_analyze":   {do: (*session).think, shows: leela},
		"kata-genmove_analyze": {do: (*session).think, shows: kata},
	}
}

func (s *session) setGame(c command) error {
	g, err := engine.Open(c.args[0])
	if err != nil {
		return err
	}
	if err := s.open(g); err != nil {
		return err
	}
	s.komi = nil
	return nil
}

func (s *session) resize(c command) error {
	size := game.Size{Columns: int(c.numbers[0]), Rows: int(c.numbers[min(1, len(c.numbers)-1)])}
	if size == s.board.info.Size {
		return s.open(s.board.game)
	}
	g, err := s.board.game.OnBoard(size, s.komi)
	if err != nil {
		return errors.New("unacceptable size")
	}
	return s.open(g)
}

// setKomi opens the board with another komi, and plays the moves again. It stays for boards to come.
func (s *session) setKomi(c command) error {
	komi, b := &c.numbers[0], s.board
	if b.info.Komi != nil && *b.info.Komi != *komi {
		g, err := b.game.OnBoard(b.info.Size, komi)
		if err != nil {
			return fmt.Errorf("unacceptable komi: want 0 to %d points or half points", b.info.Size.Cells())
		}
		if err := s.openAfter(g, b.position.Moves); err != nil {
			return err
		}
	}
	s.komi = komi
	return nil
}

// openAfter opens a game after some moves.
func (s *session) openAfter(g engine.Game, moves []game.Action) error {
	err := s.open(g)
	for i := 0; i < len(moves) && err == nil; i++ {
		err = s.board.play(s.board.position, moves[i])
	}
	return err
}

func (s *session) play(c command) error {
	p, err := s.board.turn(c.side)
	if err != nil {
		return err
	}
	a, err := s.board.move(p, c.args[1])
	if err != nil {
		return err
	}
	return s.board.play(p, a)
}

func (s *session) setSeed(c command) error {
	s.Seed = uint64(c.numbers[0])
	s.Forget()
	return nil
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

// Hear has all commands wait during a thought. They end an analysis, but not the thought about a move, so that scripts get
// the moves that managers get.
func (s *session) Hear(command) (ends, waits bool) { return s.endless, true }

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
func (s *session) setTime(c command) error {
	main, stones := seconds(c.numbers[0]), time.Duration(c.numbers[2])
	s.limits = c
	s.clocks, s.byoYomi = map[game.Side]*manager.Clock{}, seconds(c.numbers[1])
	if s.byoYomi > 0 && stones <= 0 {
		return nil
	}
	stone := s.byoYomi / max(1, stones)
	for _, side := range colours {
		clock := &manager.Clock{Match: main + stone, Increment: stone} // a move takes at most the main time and a stone's
		if clock.Match > 0 {
			clock.Turn = longest
		}
		clock.Start()
		s.clocks[side] = clock
	}
	return nil
}

// setLeft tells the time that a side has left, for so many stones in byo-yomi.
func (s *session) setLeft(c command) error {
	if s.clocks[c.side] == nil {
		s.clocks[c.side] = &manager.Clock{}
	}
	clock, left, stones := s.clocks[c.side], seconds(c.numbers[0]), time.Duration(c.numbers[1])
	clock.Turn, clock.Left, clock.Limited, clock.LeftSet = longest, left+s.byoYomi, true, true
	if stones > 0 {
		clock.Turn, clock.Left = left/stones, left
	}
	return nil
}

// maxFile is the size of the largest file that is read, in bytes.
const maxFile = 1 << 20

// load plays the main line of a file, up to before a move if its number is given.
func (s *session) load(c command) error {
	content, err := files.Read(c.args[0], maxFile)
	var g transcript.Game
	if err == nil {
		g, err = transcript.ReadOnItsBoard(s.board.game, string(content))
	}
	if err == nil {
		moves := g.Lines[0].Moves
		if len(c.numbers) > 0 {
			moves = moves[:min(max(0, int(c.numbers[0])-1), len(moves))]
		}
		err = s.openAfter(g.Game, moves)
	}
	if err != nil {
		return fmt.Errorf("cannot load file: %w", err)
	}
	return nil
}

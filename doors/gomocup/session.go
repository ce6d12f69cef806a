package gomocup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"tengen/doors/manager"
	"tengen/game"
)

type session struct {
	*manager.Session[command]
	options Options

	info  settings
	clock manager.Clock
	board *board // nil before START

	summarized time.Time // when the last summary was sent
}

// newSession returns a session with the limits before the manager sends any. The protocol's skeleton program has the
// same ones.
func newSession(out io.Writer, o Options) *session {
	s := &session{options: o, clock: manager.Clock{Turn: 30 * time.Second}}
	o.Interval = reportInterval
	s.Session = manager.New(s, out, o.Options)
	return s
}

// Resources returns what the manager allows.
func (s *session) Resources() manager.Resources {
	return manager.Resources{Memory: s.info.memory, Threads: s.info.threads, Depth: s.info.depth}
}

// handler obeys a command. Its error becomes an ERROR line.
type handler func(s *session, ctx context.Context, c command) error

// inGame returns a handler that fails without a game.
func inGame(do handler) handler {
	return func(s *session, ctx context.Context, c command) error {
		if err := s.ready(); err != nil {
			return err
		}
		return do(s, ctx, c)
	}
}

// onCell returns a handler that passes on the command's cell in a game.
func onCell(do func(s *session, ctx context.Context, c command, x, y int) error) handler {
	return inGame(func(s *session, ctx context.Context, c command) error {
		n, ok := parseNumbers(c.text)
		if !ok || len(n) != 2 {
			return fmt.Errorf("%s wants x,y, not %q", c.name, c.text)
		}
		return do(s, ctx, c, n[0], n[1])
	})
}

// handlers are the commands' handlers by name.
var handlers = map[string]handler{
	"ABOUT": func(s *session, _ context.Context, _ command) error {
		s.Say(`name="tengen", version="%s", author="the tengen authors"`, s.options.Version)
		return nil
	},
	"START":     (*session).start,
	"RECTSTART": (*session).rectStart,
	"RESTART": inGame(func(s *session, _ context.Context, _ command) error {
		return s.newGame(s.board.info.Size)
	}),
	"INFO": (*session).heed,
	"BEGIN": inGame(func(s *session, ctx context.Context, c command) error {
		return s.answer(ctx, c, newBoard(s.board.variant), 1)
	}),
	"TURN":       onCell((*session).turn),
	"BOARD":      inGame((*session).setBoard),
	"YXBOARD":    inGame((*session).setBoard),
	"TAKEBACK":   onCell((*session).takeBack),
	"PLAY":       onCell((*session).play),
	"SWAP2BOARD": inGame((*session).swap2),
	"YXNBEST":    inGame((*session).nBest),
	"YXSHOWINFO": func(s *session, _ context.Context, _ command) error {
		s.Say("MESSAGE INFO MAX_THREAD_NUM %d", manager.MaxThreads)
		s.Say("MESSAGE INFO MAX_HASH_SIZE 30")
		return nil
	},
	"YXHASHCLEAR":  func(s *session, _ context.Context, _ command) error { s.Forget(); return nil },
	"YXSHOWFORBID": func(s *session, _ context.Context, _ command) error { s.Say("FORBID ."); return nil },
	"STOP":         func(*session, context.Context, command) error { return nil }, // Obey has ended pondering
	"YXSTOP":       func(*session, context.Context, command) error { return nil },
	"END":          func(s *session, _ context.Context, _ command) error { s.Over = true; return nil },
}

// Obey obeys a command. All but INFO end pondering.
func (s *session) Obey(ctx context.Context, c command) error {
	do := handlers[c.name]
	if do == nil {
		s.Say("UNKNOWN %s", strings.TrimSpace(c.name+" "+c.text))
		return nil
	}
	if c.name != "INFO" {
		s.Rest()
	}
	return do(s, ctx, c)
}

// Refuse answers with the reason.
func (s *session) Refuse(_ command, err error) { s.Say("ERROR %s", manager.OneLine(err.Error())) }

// heed obeys INFO between thoughts.
func (s *session) heed(_ context.Context, c command) error {
	s.inform(c.text)
	if !s.info.ponder {
		s.Rest()
	}
	return nil
}

func (s *session) start(_ context.Context, c command) error {
	n, ok := parseNumbers(c.text) // Yixin-Board sends the side twice
	if !ok || len(n) == 0 || len(n) > 1 && n[1] != n[0] {
		return fmt.Errorf("START wants the side of a square board, not %q", c.text)
	}
	return s.newGame(game.Size{Rows: n[0], Columns: n[0]})
}

func (s *session) rectStart(_ context.Context, c command) error {
	n, ok := parseNumbers(c.text)
	if !ok || len(n) != 2 {
		return fmt.Errorf("RECTSTART wants width,height, not %q", c.text)
	}
	return s.newGame(game.Size{Columns: n[0], Rows: n[1]})
}

func (s *session) newGame(size game.Size) error {
	if min(size.Rows, size.Columns) < minSide || max(size.Rows, size.Columns) > maxSide {
		return fmt.Errorf("a board of %v is not supported: sides are %d to %d", size, minSide, maxSide)
	}
	if err := s.info.problem(); err != nil {
		return err
	}
	v, err := open(size, s.info.rule)
	if err != nil {
		return err
	}
	if s.board == nil || s.board.info.Name != v.info.Name {
		s.Forget()
	}
	before := s.board
	s.board = newBoard(v)
	if err := s.Wake(s.board.Game, 0); err != nil {
		s.board = before
		return err
	}
	s.clock.Start()
	s.Say("OK")
	return nil
}

// ready fails without a game. It applies a rule sent after START; the stones stay.
func (s *session) ready() error {
	if s.board == nil {
		return errors.New("there is no board yet: send START first")
	}
	if err := s.info.problem(); err != nil {
		return err
	}
	if s.board.rule == s.info.rule {
		return nil
	}
	v, err := open(s.board.info.Size, s.info.rule)
	if err != nil {
		return err
	}
	s.board = &board{v, s.board.cells, s.board.last}
	return nil
}

func (s *session) turn(ctx context.Context, c command, x, y int) error {
	next := s.board.clone()
	if err := next.put(opponent, x, y); err != nil {
		return err
	}
	return s.answer(ctx, c, next, 1)
}

// setBoard sets the position and, except for YXBOARD, moves.
func (s *session) setBoard(ctx context.Context, c command) error {
	next, err := s.board.setUp(c.stones)
	if err != nil {
		return err
	}
	if c.name == "YXBOARD" {
		s.board = next
		return nil
	}
	return s.answer(ctx, c, next, 1)
}

func (s *session) takeBack(_ context.Context, _ command, x, y int) error {
	err := s.board.takeBack(x, y)
	if err == nil {
		s.Say("OK")
	}
	return err
}

// play puts the engine's stone on the manager's cell.
func (s *session) play(_ context.Context, _ command, x, y int) error {
	err := s.board.put(own, x, y)
	if err == nil {
		s.Say("%d,%d", x, y)
	}
	return err
}

func (s *session) nBest(ctx context.Context, c command) error {
	n, ok := parseNumbers(c.text)
	if !ok || len(n) != 1 || n[0] < 1 {
		return fmt.Errorf("YXNBEST wants the number of moves, not %q", c.text)
	}
	return s.answer(ctx, c, s.board.clone(), n[0])
}

// Package analysis answers a program's questions about positions, in lines of JSON. It searches several at once, the
// urgent ones first, and sends partial results. docs/interfaces/analysis.md describes the protocol, which follows
// KataGo's analysis engine.
//
// Without a time limit, an answer depends on its question alone: each search starts from an empty tree.
package analysis

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"tengen/engine"
	"tengen/internal/files"
	"tengen/internal/limits"
	"tengen/players"
)

// Config configures Serve.
type Config struct {
	Player               players.Spec
	Players              engine.PlayerOptions
	engine.AnalyzeConfig     // Workers is the number of concurrent searches
	Threads              int // of each search, 1 to 256; influences results
}

var errQuit = errors.New("the client has quit")

// Serve reads requests from in and writes answers to out until in ends and all are answered, or until the client quits.
// A malformed request gets a Failure; Serve's error is about the player, an option, reading or writing. If ctx ends,
// Serve returns its error after the current write. One goroutine may remain until the next line or the end of in.
func Serve(ctx context.Context, e engine.Game, c Config, in io.Reader, out io.Writer) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	s := &server{engine: e, config: c, queue: newQueue(ctx), answers: &answers{ctx: ctx, out: out, end: end}}
	s.replies.answers = s.answers
	if err := s.open(); err != nil {
		return err
	}
	defer s.player.Close()
	var workers sync.WaitGroup
	for range c.Workers {
		workers.Go(s.work)
	}
	err := s.read(ctx, in)
	s.queue.close()
	workers.Wait()
	s.replies.sending.Wait()
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if errors.Is(err, errQuit) {
		return nil
	}
	return err
}

type server struct {
	engine  engine.Game
	config  Config
	player  engine.Player
	idle    chan engine.Thinker
	limit   players.Limit // of questions without one
	queue   *queue
	answers *answers
	replies replies // answers from read, which must not wait for the client
}

// open makes the first thinker: an unusable player fails before the first question.
func (s *server) open() (err error) {
	c := s.config
	if err := cmp.Or(limits.Int("workers", c.Workers, 1, 1024), limits.Int("threads", c.Threads, 1, 256)); err != nil {
		return engine.InputError{Err: err}
	}
	if s.player, err = s.engine.Player(c.Player, c.Players); err != nil {
		return err
	}
	first, err := s.newThinker()
	if err != nil {
		return err
	}
	s.idle, s.limit = make(chan engine.Thinker, c.Workers), first.Limit()
	s.idle <- first
	return nil
}

// read takes requests until in or ctx ends or the client quits.
func (s *server) read(ctx context.Context, in io.Reader) error {
	number := 0
	for line, err := range files.Lines(ctx, in) {
		number++
		if err != nil {
			return fmt.Errorf("line %d: cannot read the request: %w", number, err)
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		r, err := parse(line)
		if err == nil {
			err = s.obey(r)
		}
		if err != nil {
			s.replies.add(Failure{r.ID, fmt.Sprintf("line %d: %v", number, err)})
		}
	}
	return nil
}

func (s *server) obey(r Request) error {
	switch r.Action {
	case "":
		q, err := s.question(r)
		if err != nil {
			return err
		}
		s.queue.add(q)
		return nil
	case Terminate, TerminateAll:
		match := func(id string) bool { return r.Action == TerminateAll || id == r.TerminateID }
		for _, q := range s.queue.stop(match) {
			s.replies.add(Unsearched{ID: q.id, NoResults: true})
		}
	case Quit: // see answers.send
	default:
		return fmt.Errorf("action is %q, but must be %s, %s or %s", r.Action, Terminate, TerminateAll, Quit)
	}
	s.replies.add(Done{r.ID, r.Action, r.TerminateID})
	return nil
}

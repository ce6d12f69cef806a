package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tengen/engine"
	"tengen/game"
	"tengen/players"
	"tengen/run"
)

// livePlay plays games between a human and an engine, or between two humans.
type livePlay struct {
	e       engine.Game
	out     io.Writer
	colour  bool
	status  *statusLine
	ask     func(ctx context.Context, prompt string) (string, error) // reads a line from the user
	thinker func(players.Spec) (engine.Thinker, error)

	engine  engine.Thinker // nil: both sides are people
	advisor engine.Thinker // for hints
	human   [2]bool        // human[0]: the first player is a person; human[1]: the second
	ponder  bool

	position engine.Position
}

var errQuit = errors.New("quit")

func newLivePlay(ctx context.Context, cmd *cobra.Command, e engine.Game, opt playOptions) *livePlay {
	out := cmd.OutOrStdout()
	p := &livePlay{
		e: e, out: out, colour: useColour(out), status: newStatusLine(out), ask: prompter(ctx, cmd.InOrStdin(), out),
		human: [2]bool{opt.humanFirst, !opt.humanFirst}, ponder: opt.ponder, position: e.Start(),
	}
	if opt.against.Kind == players.KindHuman {
		p.human = [2]bool{true, true}
	}
	p.thinker = func(spec players.Spec) (engine.Thinker, error) {
		if spec.Kind == players.KindNet && opt.players.Models[spec.Path] == nil {
			_, options, err := opt.load(e.Info().Name, spec)
			if err != nil {
				return nil, err
			}
			opt.players = options
		}
		player, err := e.Player(spec, opt.players)
		if err != nil {
			return nil, err
		}
		return player.Think(opt.live)
	}
	return p
}

func (p *livePlay) stop() {
	for _, t := range []engine.Thinker{p.engine, p.advisor} {
		if t != nil {
			t.Stop()
		}
	}
}

func side(p engine.Position) int {
	if p.ToMove == game.First {
		return 0
	}
	return 1
}

// run plays until the user quits, and then returns errQuit. It draws the board when the user has to act.
func (p *livePlay) run(ctx context.Context) error {
	for {
		turn := p.engineTurn
		if p.position.Over || p.human[side(p.position)] {
			fmt.Fprintf(p.out, "\n%s", drawBoard(p.position, p.colour))
			turn = p.humanTurn
		}
		if err := turn(ctx); err != nil {
			return err
		}
	}
}

func (p *livePlay) result() string {
	winner := 0
	if p.position.Outcome < 0 {
		winner = 1
	}
	switch {
	case p.position.Outcome == 0:
		return "A draw."
	case p.human == [2]bool{true, true}:
		return engine.Stones[winner] + " wins."
	case p.human[winner]:
		return "You win!"
	default:
		return "You lose."
	}
}

func (p *livePlay) push(a game.Action) error {
	position, err := p.position.Play(a)
	if err == nil {
		p.position = position
	}
	return err
}

// think searches the position and shows a clock and progress in the status line.
func (p *livePlay) think(ctx context.Context, t engine.Thinker) (players.Report, error) {
	t.Set(p.position)
	reports, done := make(chan string), make(chan struct{})
	go func() {
		defer close(done)
		p.clock(reports)
	}()
	r, err := t.Think(ctx, t.Limit(), func(r players.Report) {
		reports <- fmt.Sprintf(": %s, %s", p.e.Format(r.Best), opinion(r))
	})
	close(reports)
	<-done
	p.status.Clear()
	if ctx.Err() != nil {
		err = errQuit
	}
	return r, err
}

// clock shows the thinking time, and the last report next to it, until reports is closed.
func (p *livePlay) clock(reports <-chan string) {
	start, tick := time.Now(), time.NewTicker(time.Second/2)
	defer tick.Stop()
	last := ""
	for {
		select {
		case report, open := <-reports:
			if !open {
				return
			}
			last = report
		case <-tick.C:
		}
		p.status.Set(fmt.Sprintf("thinking for %.0f s%s", time.Since(start).Seconds(), last))
	}
}

func (p *livePlay) engineTurn(ctx context.Context) error {
	r, err := p.think(ctx, p.engine)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.out, "\n%s plays %s  (%s)\n", engine.Stones[side(p.position)], p.e.Format(r.Best), opinion(r))
	if err := p.push(r.Best); err != nil {
		return err
	}
	if p.ponder && !p.position.Over {
		p.engine.Set(p.position)
		p.engine.Ponder()
	}
	return nil
}

// opinion describes an engine's evaluation, for the side to move.
func opinion(r players.Report) string {
	text := fmt.Sprintf("value %+.2f", r.Value)
	if r.Proven != game.Unknown {
		text = fmt.Sprint("a proven ", r.Proven)
	}
	if r.Simulations > 0 {
		text += ", " + run.Plural(r.Simulations, "simulation")
	}
	return text
}

// humanTurn asks until the position or the sides change.
func (p *livePlay) humanTurn(ctx context.Context) error {
	prompt := engine.Stones[side(p.position)] + " to move> "
	if p.position.Over {
		fmt.Fprintf(p.out, "%s\nMoves: %s\n", p.result(), p.e.Format(p.position.Moves...))
		prompt = "again, swap, undo, save FILE or quit> "
	}
	for {
		line, err := p.ask(ctx, prompt)
		if err != nil {
			fmt.Fprintln(p.out)
			if errors.Is(err, io.EOF) || ctx.Err() != nil {
				return errQuit
			}
			return fmt.Errorf("cannot read a move: %w", err)
		}
		if changed, err := p.obey(ctx, strings.TrimSpace(line)); changed || err != nil {
			return err
		}
	}
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"tengen/engine"
	"tengen/game"
	"tengen/players"
)

// livePlay is a game between a person and an engine, or between two people.
type livePlay struct {
	e      engine.Game
	out    io.Writer
	colour bool
	status *statusLine
	ask    func(ctx context.Context, prompt string) (string, error) // reads a line from the person

	engine  engine.Thinker // nil: both sides are people
	advisor engine.Thinker // for hints
	human   [2]bool        // by side, the first player's before the second's
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
	return p
}

func (p *livePlay) mover() int {
	if p.position.ToMove == game.First {
		return 0
	}
	return 1
}

// run plays until the game is over, or errQuit.
func (p *livePlay) run(ctx context.Context) error {
	for {
		fmt.Fprintln(p.out)
		fmt.Fprint(p.out, drawBoard(p.position, p.colour))
		if p.position.Over {
			p.announce()
			return nil
		}
		turn := p.engineTurn
		if p.human[p.mover()] {
			turn = p.humanTurn
		}
		if err := turn(ctx); err != nil {
			return err
		}
	}
}

func (p *livePlay) announce() {
	winner := 0
	if p.position.Outcome < 0 {
		winner = 1
	}
	switch {
	case p.position.Outcome == 0:
		fmt.Fprintln(p.out, "A draw.")
	case p.human == [2]bool{true, true}:
		fmt.Fprintf(p.out, "%s wins.\n", engine.Stones[winner])
	case p.human[winner]:
		fmt.Fprintln(p.out, "You win!")
	default:
		fmt.Fprintln(p.out, "You lose.")
	}
}

func (p *livePlay) push(a game.Action) error {
	position, err := p.position.Play(a)
	if err == nil {
		p.position = position
	}
	return err
}

// think searches the position and shows progress in the status line.
func (p *livePlay) think(ctx context.Context, t engine.Thinker) (players.Report, error) {
	t.Set(p.position)
	r, err := t.Think(ctx, t.Limit(), func(r players.Report) {
		p.status.Set(fmt.Sprintf("thinking: %s, %s", p.e.Format(r.Best), opinion(r)))
	})
	p.status.Clear()
	if ctx.Err() != nil {
		err = errQuit
	}
	return r, err
}

func (p *livePlay) engineTurn(ctx context.Context) error {
	r, err := p.think(ctx, p.engine)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.out, "%s plays %s  (%s)\n", engine.Stones[p.mover()], p.e.Format(r.Best), opinion(r))
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
	if r.Proven != game.Unknown {
		return fmt.Sprintf("a proven %s, %d simulations", r.Proven, r.Simulations)
	}
	return fmt.Sprintf("value %+.2f, %d simulations", r.Value, r.Simulations)
}

func (p *livePlay) humanTurn(ctx context.Context) error {
	for {
		line, err := p.ask(ctx, engine.Stones[p.mover()]+" to move> ")
		if err != nil {
			fmt.Fprintln(p.out)
			if errors.Is(err, io.EOF) || ctx.Err() != nil {
				return errQuit
			}
			return fmt.Errorf("cannot read a move: %w", err)
		}
		switch word := strings.ToLower(strings.TrimSpace(line)); word {
		case "":
		case "quit", "exit", "q":
			return errQuit
		case "help", "?":
			p.help()
		case "hint":
			if err := p.hint(ctx); err != nil {
				return err
			}
		case "undo":
			if p.undo() {
				return nil
			}
			fmt.Fprintln(p.out, "There is no move of yours to take back.")
		default:
			a, err := p.position.ParseMove(word)
			if err == nil {
				return p.push(a)
			}
			fmt.Fprintf(p.out, "%v: help lists the moves\n", err)
		}
	}
}

func (p *livePlay) help() {
	var names []string
	for _, a := range p.position.Legal {
		names = append(names, p.e.Format(a))
	}
	fmt.Fprintf(p.out, "Moves: %s\nundo takes your last move back, hint shows what the engine thinks, quit leaves.\n", strings.Join(names, " "))
}

func (p *livePlay) hint(ctx context.Context) error {
	r, err := p.think(ctx, p.advisor)
	if err != nil {
		return err
	}
	best := engine.Ranked(r.Analysis)
	fmt.Fprintf(p.out, "%s to move: %s, best %s\n", engine.Stones[p.mover()], opinion(r), p.e.Format(r.Best))
	rows := newTable(p.out, column{"move", 6, 0}, column{"visits", 8, 0}, column{"value", 7, 0}, column{"prior", 7, 0},
		column{"", 0, 0})
	rows.header()
	for _, s := range best[:min(10, len(best))] {
		proven := ""
		if s.Proven != game.Unknown {
			proven = "proven " + s.Proven.String()
		}
		rows.row(p.e.Format(s.Action), fmt.Sprint(s.Visits), fmt.Sprintf("%+.2f", s.Q),
			fmt.Sprintf("%.1f%%", 100*s.Prior), proven)
	}
	return nil
}

// undo goes back to the person's previous move. It returns false if there is none.
func (p *livePlay) undo() bool {
	plies := 2
	if p.engine == nil {
		plies = 1
	}
	left := len(p.position.Moves) - plies
	if left < 0 {
		return false
	}
	position, err := p.e.Replay(p.position.Moves[:left])
	if err == nil {
		p.position = position
	}
	return err == nil
}

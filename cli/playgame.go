package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tengen/engine"
	"tengen/game"
	"tengen/internal/files"
	"tengen/internal/printable"
	"tengen/players"
)

// livePlay plays games of people and programs. Where two programs play, the user lets them move.
type livePlay struct {
	playOptions // with the present seats and position
	e           engine.Game
	out         io.Writer
	status      *statusLine
	nextLine    func() (line []byte, err error, ok bool) // of the user
	stopLines   func()

	programs [2]engine.Thinker               // of the seats; nil for a person
	lost     string                          // why a program lost before the end of the game, or ""
	advisors map[players.Spec]engine.Thinker // for hints
}

var errQuit = errors.New("quit")

func newLivePlay(ctx context.Context, cmd *cobra.Command, e engine.Game, opt playOptions) *livePlay {
	out := cmd.OutOrStdout()
	p := &livePlay{playOptions: opt, e: e, out: out, status: newStatusLine(out), advisors: map[players.Spec]engine.Thinker{}}
	p.nextLine, p.stopLines = iter.Pull2(files.Lines(ctx, cmd.InOrStdin()))
	return p
}

// thinker makes a player. It opens its model, if that is another one.
func (p *livePlay) thinker(spec players.Spec) (engine.Thinker, error) {
	if spec.Kind == players.KindNet && p.players.Models[spec.Path] == nil {
		if err := p.identify(&p.players, spec); err != nil {
			return nil, err
		}
	}
	player, err := p.e.Player(spec, p.players)
	if err != nil {
		return nil, err
	}
	return p.e.Think(player, p.live)
}

func isHuman(s players.Spec) bool { return s.Kind == players.KindHuman }

// watched returns whether two programs play.
func (p *livePlay) watched() bool { return !slices.ContainsFunc(p.seats[:], isHuman) }

func (p *livePlay) greeting() string {
	name := p.e.Info().Name
	if p.watched() {
		return fmt.Sprintf("%s: %s (%s) against %s (%s).\nEnter plays a move, go plays all; or type hint, undo, help or quit.",
			name, p.seats[0], game.Stones[0], p.seats[1], game.Stones[1])
	}
	opponent := p.seats[1]
	if isHuman(opponent) {
		opponent = p.seats[0]
	}
	return fmt.Sprintf("%s against %s.\nType a move, undo, hint, help or quit.", name, opponent)
}

func (p *livePlay) stop() {
	p.stopLines()
	for _, t := range append(slices.Collect(maps.Values(p.advisors)), p.programs[:]...) {
		if t != nil {
			t.Close()
		}
	}
}

func side(p engine.Position) int {
	if p.ToMove == game.First {
		return 0
	}
	return 1
}

// toMove returns the program whose turn it is, or nil.
func (p *livePlay) toMove() engine.Thinker { return p.programs[side(p.position)] }

// run plays until the user quits, and then returns errQuit. It draws the board when the user has to act or watches.
func (p *livePlay) run(ctx context.Context) error {
	for {
		turn := p.programTurn
		if p.over() || p.toMove() == nil || p.watched() {
			p.draw()
			turn = p.userTurn
		}
		if err := turn(ctx); err != nil {
			return err
		}
	}
}

func (p *livePlay) over() bool { return p.position.Over || p.lost != "" }

func (p *livePlay) draw() { fmt.Fprintf(p.out, "\n%s", drawBoard(p.position, useColour(p.out))) }

// result returns the result in a sentence, and whether a person has lost against a program.
func (p *livePlay) result() (text string, lost bool) {
	winner, by := 0, ""
	if p.position.Outcome < 0 {
		winner = 1
	}
	if margin, scored := p.position.Margin(); scored {
		by = fmt.Sprintf(" by %v", math.Abs(margin))
	}
	switch {
	case p.position.Outcome == 0:
		return "A draw.", false
	case isHuman(p.seats[0]) == isHuman(p.seats[1]):
		return game.Stones[winner] + " wins" + by + ".", false
	case isHuman(p.seats[winner]):
		return "You win" + by + "!", false
	default:
		return "You lose" + by + ".", true
	}
}

// push plays a move, and the forced passes after it.
func (p *livePlay) push(a game.Action) error {
	position, err := p.position.Play(a)
	for err == nil && position.ForcedPass() {
		fmt.Fprintf(p.out, "\n%s has no move but a pass.\n", game.Stones[side(position)])
		position, err = position.Play(position.Legal[0])
	}
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
		reports <- fmt.Sprintf(": %s, %s", p.position.Format(r.Best), opinion(r))
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

func (p *livePlay) programTurn(ctx context.Context) error {
	t := p.toMove()
	r, err := p.think(ctx, t)
	if forfeit := (players.Forfeit{}); errors.As(err, &forfeit) {
		p.lost = fmt.Sprintf("%s loses: %v.", p.seats[side(p.position)], forfeit)
		return nil
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(p.out, "\n%s plays %s  (%s)\n", game.Stones[side(p.position)], p.position.Format(r.Best), opinion(r))
	if err := p.push(r.Best); err != nil {
		return err
	}
	if p.ponder && !p.position.Over && !p.watched() {
		t.Set(p.position)
		t.Ponder()
	}
	return nil
}

// opinion describes an engine's evaluation, for the side to move.
func opinion(r players.Report) string {
	text := "no value"
	if value := r.KnownValue(); value != nil {
		text = fmt.Sprintf("value %+.2f", *value)
	}
	if r.Proven != game.Unknown {
		text = fmt.Sprint("a proven ", r.Proven)
	}
	if r.Simulations > 0 {
		text += ", " + printable.Plural(r.Simulations, "simulation")
	}
	return text
}

// userTurn asks until the position or the sides change.
func (p *livePlay) userTurn(ctx context.Context) error {
	prompt := game.Stones[side(p.position)] + " to move> "
	if p.over() {
		result, lost := p.result()
		fmt.Fprintf(p.out, "%s\nMoves: %s\n", cmp.Or(p.lost, result), p.position.Notation())
		if lost && p.lost == "" {
			fmt.Fprintf(p.out, "To find the mistake, paste them on the Analyse page of `%s serve --open`.\n", called)
		}
		prompt = "again, swap, undo or quit> "
	} else if p.watched() {
		prompt = "Enter, go, hint or quit> "
	}
	for {
		fmt.Fprint(p.out, prompt)
		line, err, more := p.nextLine()
		if err != nil || !more {
			fmt.Fprintln(p.out)
			if err == nil || ctx.Err() != nil {
				return errQuit
			}
			return fmt.Errorf("cannot read a move: %w", err)
		}
		if changed, err := p.obey(ctx, strings.TrimSpace(string(line))); changed || err != nil {
			return err
		}
	}
}

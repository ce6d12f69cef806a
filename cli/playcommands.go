package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"tengen/engine"
	"tengen/game"
	"tengen/internal/printable"
	"tengen/players"
)

const playHelp = `undo        take back your last move
hint        show the best moves, as the strongest player at hand judges
            them; hint all shows every move
swap        change sides; after the game, play another one with changed sides
again       begin another game
level NAME  change the opponent: easy, medium, strong, perfect
moves       print the moves so far, as analyze and play --moves read them
quit        leave, and print the moves
`

const watchHelp = `Enter       let the player to move play
go          let both play to the end
`

// obey executes a line that the user typed: a legal move, or a command. It reports whether the position or the sides
// changed. An error ends the play; a line that is neither gets a message on the screen.
func (p *livePlay) obey(ctx context.Context, line string) (changed bool, err error) {
	a, illegal := p.position.ParseMove(strings.ToLower(line))
	if illegal == nil && !p.over() {
		return true, p.push(a)
	}
	word, argument, _ := strings.Cut(line, " ")
	argument = strings.TrimSpace(argument)
	switch strings.ToLower(word) {
	case "", "go":
		if !p.watched() || p.over() {
			return false, nil
		}
		for {
			if err := p.programTurn(ctx); err != nil || word == "" || p.over() {
				return true, err
			}
			p.draw()
		}
	case "quit", "exit", "q":
		return false, errQuit
	case "help", "?":
		help := playHelp
		if p.watched() {
			help = watchHelp + help
		}
		fmt.Fprintf(p.out, "Moves: %s\n%s", p.legal(), help)
	case "hint":
		return false, p.hint(ctx, argument == "all")
	case "moves":
		fmt.Fprintln(p.out, p.position.Notation())
	case "undo":
		if p.undo() {
			return true, nil
		}
		fmt.Fprintln(p.out, "You have no move to take back.")
	case "again":
		p.position, p.lost = p.e.Start(), ""
		return true, nil
	case "swap":
		p.seats[0], p.seats[1] = p.seats[1], p.seats[0]
		p.programs[0], p.programs[1] = p.programs[1], p.programs[0]
		if p.over() {
			p.position, p.lost = p.e.Start(), ""
		}
		return true, nil
	case "level":
		if err := p.setLevel(argument); err != nil {
			fmt.Fprintln(p.out, err)
		}
	default:
		if p.over() {
			fmt.Fprintln(p.out, "The game is over: again begins another, undo takes your last move back.")
			return false, nil
		}
		fmt.Fprintf(p.out, "%v: help lists moves and commands\n", illegal)
	}
	return false, nil
}

// legal lists the legal moves, or names the corners of a board with too many.
func (p *livePlay) legal() string {
	info := p.e.Info()
	if len(p.position.Legal) > 30 && info.Placement && info.Columns != nil && info.Rows != nil {
		last := len(info.Rows) - 1
		return fmt.Sprintf("the empty cells of %s%s to %s%s", info.Columns[0], info.Rows[last], info.Columns[len(info.Columns)-1], info.Rows[0])
	}
	var names []string
	for _, a := range p.position.Legal {
		names = append(names, p.position.Format(a))
	}
	return strings.Join(names, " ")
}

// hint shows what the advisor thinks of the best moves, or of all.
func (p *livePlay) hint(ctx context.Context, all bool) error {
	if p.position.Over {
		fmt.Fprintln(p.out, "The game is over.")
		return nil
	}
	spec := p.advisor(ctx)
	if p.advisors[spec] == nil {
		t, err := p.thinker(spec)
		if err != nil {
			return err
		}
		p.advisors[spec] = t
	}
	r, err := p.think(ctx, p.advisors[spec])
	if err != nil {
		return err
	}
	fmt.Fprintf(p.out, "%s to move: %s, best %s (%s)\n", game.Stones[side(p.position)], opinion(r), p.position.Format(r.Best), spec)
	shown := len(r.Moves)
	if !all {
		shown = min(shown, 10)
	}
	if err := printMoves(p.out, p.position, r.Analysis, shown); err != nil {
		return err
	}
	if left := len(r.Moves) - shown; left > 0 {
		fmt.Fprintf(p.out, "hint all shows %s.\n", printable.Plural(left, "more move"))
	}
	return nil
}

// advisor returns the strongest player at hand: the solver where it is quick, else the network that comes with tengen
// for the game, else the program that plays, with more to think.
func (p *livePlay) advisor(ctx context.Context) players.Spec {
	if p.position.QuickToSolve(ctx) {
		return players.Spec{Kind: players.KindSolver}
	}
	const simulations, playouts = 1600, 20_000
	if model, err := engine.PretrainedFor(p.e); err == nil {
		return players.Spec{Kind: players.KindNet, Path: model, Limit: simulations}
	}
	spec := p.seats[side(p.position)]
	if isHuman(spec) {
		spec = p.seats[1-side(p.position)]
	}
	switch spec.Kind {
	case players.KindNet:
		spec.Limit, spec.Time = max(simulations, 2*spec.Limit), 0
	case players.KindUCT:
		spec.Limit, spec.Time = max(playouts, 2*spec.Limit), 0
	case players.KindAlphaBeta:
		spec.Limit, spec.Time = 0, max(2*time.Second, 2*spec.Time)
	case players.KindSolver:
	default:
		return players.Spec{Kind: players.KindUCT, Limit: playouts}
	}
	return spec
}

// printMoves prints what an analysis says about its best moves, at most limit of them.
func printMoves(out io.Writer, p engine.Position, a *players.Analysis, limit int) error {
	_, err := fmt.Fprintf(out, "%6s %8s %7s %7s\n", "move", "visits", "value", "prior")
	for _, s := range engine.Ranked(a)[:limit] {
		value, prior, proven := "", "", ""
		if s.Visits > 0 || s.Proven != game.Unknown {
			value = fmt.Sprintf("%+.2f", s.Q)
		}
		if s.Prior > 0 { // of a player with a policy
			prior = fmt.Sprintf("%.1f%%", 100*s.Prior)
		}
		if s.Proven != game.Unknown {
			proven = "proven " + s.Proven.String()
		}
		if err == nil {
			row := fmt.Sprintf("%6s %8d %7s %7s %s", p.Format(s.Action), s.Visits, value, prior, proven)
			_, err = fmt.Fprintln(out, strings.TrimRight(row, " "))
		}
	}
	return err
}

// undo goes back to the user's previous choice, or by one move where two programs play. A forced pass is no choice. It
// returns false if there is none.
func (p *livePlay) undo() bool {
	for left := len(p.position.Moves) - 1; left >= 0; left-- {
		position, err := p.e.Replay(p.position.Moves[:left])
		if err != nil {
			return false
		}
		if !position.ForcedPass() && (p.watched() || isHuman(p.seats[side(position)])) {
			p.position, p.lost = position, ""
			return true
		}
	}
	return false
}

// setLevel replaces the program that plays against a person. The game continues.
func (p *livePlay) setLevel(name string) error {
	spec, err := engine.Level(p.e, name)
	if err != nil {
		return err
	}
	if isHuman(p.seats[0]) == isHuman(p.seats[1]) {
		return fmt.Errorf("no program plays against a person: start %s play with --level %s", called, name)
	}
	next, err := p.thinker(spec)
	if err != nil {
		return err
	}
	seat := slices.IndexFunc(p.seats[:], func(s players.Spec) bool { return !isHuman(s) })
	p.programs[seat].Close()
	p.seats[seat], p.programs[seat] = spec, next
	fmt.Fprintf(p.out, "The opponent is %s from now on.\n", spec)
	return nil
}

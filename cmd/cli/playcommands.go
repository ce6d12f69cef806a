package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"tengen/engine"
	"tengen/game"
	"tengen/run"
)

const playHelp = `undo        take back your last move
hint        show what the engine thinks of your moves
swap        change sides; after the game, play another one with changed sides
again       begin another game
level NAME  change the opponent: easy, medium, strong, perfect
moves       print the moves so far, as tengen analyze reads them
save FILE   write them to a new file
quit        leave
`

// obey executes a line that the user typed: a command or a move. It reports whether the position or the sides changed.
// An error ends the play; a line that is neither gets a message on the screen.
func (p *livePlay) obey(ctx context.Context, line string) (changed bool, err error) {
	word, argument, _ := strings.Cut(line, " ")
	argument = strings.TrimSpace(argument)
	switch strings.ToLower(word) {
	case "":
	case "quit", "exit", "q":
		return false, errQuit
	case "help", "?":
		fmt.Fprintf(p.out, "Moves: %s\n%s", p.legal(), playHelp)
	case "hint":
		return false, p.hint(ctx)
	case "moves":
		fmt.Fprintln(p.out, p.e.Format(p.position.Moves...))
	case "undo":
		if p.undo() {
			return true, nil
		}
		fmt.Fprintln(p.out, "You have no move to take back.")
	case "again":
		p.position = p.e.Start()
		return true, nil
	case "swap":
		p.human[0], p.human[1] = p.human[1], p.human[0]
		if p.position.Over {
			p.position = p.e.Start()
		}
		return true, nil
	case "level":
		p.complain(p.setLevel(argument))
	case "save":
		p.complain(p.save(argument))
	default:
		if p.position.Over {
			fmt.Fprintln(p.out, "The game is over: again begins another, undo takes your last move back.")
			return false, nil
		}
		a, err := p.position.ParseMove(strings.ToLower(line))
		if err == nil {
			return true, p.push(a)
		}
		fmt.Fprintf(p.out, "%v: help lists moves and commands\n", err)
	}
	return false, nil
}

func (p *livePlay) complain(err error) {
	if err != nil {
		fmt.Fprintln(p.out, err)
	}
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
		names = append(names, p.e.Format(a))
	}
	return strings.Join(names, " ")
}

func (p *livePlay) hint(ctx context.Context) error {
	if p.position.Over {
		fmt.Fprintln(p.out, "The game is over.")
		return nil
	}
	r, err := p.think(ctx, p.advisor)
	if err != nil {
		return err
	}
	best := engine.Ranked(r.Analysis)
	fmt.Fprintf(p.out, "%s to move: %s, best %s\n", engine.Stones[side(p.position)], opinion(r), p.e.Format(r.Best))
	rows := newTable(p.out, column{"move", 6, 0}, column{"visits", 8, 0}, column{"value", 7, 0}, column{"prior", 7, 0},
		column{"", 0, 0})
	rows.header()
	for _, s := range best[:min(10, len(best))] {
		proven, prior := "", ""
		if s.Prior > 0 { // of a player with a policy
			prior = fmt.Sprintf("%.1f%%", 100*s.Prior)
		}
		if s.Proven != game.Unknown {
			proven = "proven " + s.Proven.String()
		}
		rows.row(p.e.Format(s.Action), fmt.Sprint(s.Visits), fmt.Sprintf("%+.2f", s.Q), prior, proven)
	}
	return nil
}

// undo goes back to the user's previous move. It returns false if there is none.
func (p *livePlay) undo() bool {
	for left := len(p.position.Moves) - 1; left >= 0; left-- {
		position, err := p.e.Replay(p.position.Moves[:left])
		if err != nil {
			return false
		}
		if p.human[side(position)] {
			p.position = position
			return true
		}
	}
	return false
}

// setLevel replaces the engine. The game continues.
func (p *livePlay) setLevel(name string) error {
	spec, err := run.Level(p.e, name)
	if err != nil {
		return err
	}
	if p.engine == nil {
		return fmt.Errorf("both sides are people: start tengen play with --level %s", name)
	}
	next, err := p.thinker(spec)
	if err != nil {
		return err
	}
	p.engine.Stop()
	p.engine = next
	fmt.Fprintf(p.out, "The opponent is %s from now on.\n", spec)
	return nil
}

func (p *livePlay) save(name string) error {
	if name == "" {
		return fmt.Errorf("name the file: save game.txt")
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return fmt.Errorf("cannot save the game to %s: %w: choose another name", name, errors.Unwrap(err)) // without "open"
	}
	_, err = fmt.Fprintln(file, p.e.Format(p.position.Moves...))
	if err = errors.Join(err, file.Close()); err == nil {
		fmt.Fprintf(p.out, "%s holds the moves: tengen analyze reads them.\n", name)
	}
	return err
}

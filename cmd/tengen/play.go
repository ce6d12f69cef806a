package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tengen/arena"
	"tengen/game"
	"tengen/internal/random"
	"tengen/mcts"
)

type playOptions struct {
	against    arena.Spec
	humanFirst bool
	seed       uint64
}

// pretrained is the model that comes with the project.
const pretrained = "checkpoints/pretrained/connect4.safetensors"

func newPlay() *cobra.Command {
	var flags configFlags
	var opt playOptions
	var against, first, gameName string
	cmd := &cobra.Command{
		Use:   "play",
		Short: "Play against a model in the terminal",
		Example: "  tengen play --against net:checkpoints/connect4:400\n" +
			"  tengen play --against uct:5000 --game gomoku --first engine",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if against == "" {
				if _, err := os.Stat(pretrained); err != nil {
					return usageError{errors.New("no opponent: give one with --against, such as --against net:checkpoints/connect4:400")}
				}
				against = "net:" + pretrained + ":400"
			}
			var err error
			if opt.against, err = parseSpec("--against", against); err != nil {
				return err
			}
			if first != "human" && first != "engine" {
				return usageError{fmt.Errorf("--first is %q, allowed are human and engine", first)}
			}
			opt.humanFirst = first == "human"
			cfg, p, err := resolve(&flags, gameName, opt.against)
			if err != nil {
				return err
			}
			return p.play(cmd.Context(), cmd, cfg, opt)
		},
	}
	flags.register(cmd, "")
	cmd.Flags().StringVar(&against, "against", "", "the opponent's `SPEC`: "+arena.Forms()+" (default the model that comes with tengen)")
	cmd.Flags().StringVar(&first, "first", "human", "who begins: human or engine")
	cmd.Flags().StringVar(&gameName, "game", "", "`name` of the game, where the opponent's model does not tell")
	cmd.Flags().Uint64Var(&opt.seed, "seed", 1, "seed of the opponent's random choices")
	return cmd
}

// match is a game between a person and an engine, or between two persons.
type match[S game.State[S]] struct {
	game   game.Game[S]
	out    io.Writer
	colour bool
	lines  *lineReader // what the person types

	engine  arena.Player[S] // nil: both sides are people
	advisor arena.Player[S] // for hints
	human   [2]bool         // by side
	rng     *rand.Rand

	moves []game.Action
	state S
}

var errQuit = errors.New("quit")

func (b bound[S]) play(ctx context.Context, cmd *cobra.Command, cfg Config, opt playOptions) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	m := &match[S]{
		game: b.game, out: cmd.OutOrStdout(), colour: useColour(cmd.OutOrStdout()),
		lines: readLines(ctx, cmd.InOrStdin()), rng: random.New(opt.seed),
		human: [2]bool{opt.humanFirst, !opt.humanFirst}, state: b.game.Start(),
	}
	builder := b.builder(cfg)
	advisor := opt.against
	if opt.against.Kind == arena.KindHuman || opt.against.Kind == arena.KindRandom {
		advisor = arena.Spec{Kind: arena.KindUCT, Limit: 5000}
	}
	var err error
	if m.advisor, err = newPlayer(builder, advisor); err != nil {
		return err
	}
	if opt.against.Kind == arena.KindHuman {
		m.human = [2]bool{true, true}
	} else if m.engine, err = newPlayer(builder, opt.against); err != nil {
		return err
	}
	fmt.Fprintf(m.out, "%s against %s. Type a move, or undo, hint, help, quit.\n", b.game.Name(), opt.against)
	if err := m.run(ctx); err != nil && !errors.Is(err, errQuit) {
		return err
	}
	return nil
}

func (m *match[S]) run(ctx context.Context) error {
	for {
		fmt.Fprintln(m.out)
		drawBoard(m.out, m.game, m.state, m.colour)
		if z, over := m.state.Outcome(); over {
			m.announce(z)
			return nil
		}
		turn := m.engineTurn
		if m.human[len(m.moves)%2] {
			turn = m.humanTurn
		}
		if err := turn(ctx); err != nil {
			return err
		}
	}
}

// announce tells the result, z being the outcome for the side that would move next.
func (m *match[S]) announce(z float32) {
	switch {
	case z == 0:
		fmt.Fprintln(m.out, "A draw.")
	case m.human == [2]bool{true, true}:
		fmt.Fprintf(m.out, "%s wins.\n", stones[(len(m.moves)+1)%2])
	case m.human[len(m.moves)%2]:
		fmt.Fprintln(m.out, "You lose.")
	default:
		fmt.Fprintln(m.out, "You win!")
	}
}

func (m *match[S]) push(a game.Action) {
	m.moves = append(m.moves, a)
	m.state = m.state.Play(a)
}

func (m *match[S]) engineTurn(ctx context.Context) error {
	a, err := arena.Analyze(ctx, m.engine, m.state, m.rng)
	if err != nil {
		return quitOnCancel(ctx, err)
	}
	fmt.Fprintf(m.out, "%s plays %s  (%s)\n", stones[len(m.moves)%2], m.game.FormatAction(a.Best), opinion(a))
	m.push(a.Best)
	return nil
}

// opinion is what an engine thinks of a position, in its own view.
func opinion(a *arena.Analysis) string {
	if a.Proven != mcts.Unknown {
		return fmt.Sprintf("a proven %s, %d simulations", a.Proven, a.Simulations)
	}
	return fmt.Sprintf("value %+.2f, %d simulations", a.Value, a.Simulations)
}

// humanTurn reads lines until one of them changes the position.
func (m *match[S]) humanTurn(ctx context.Context) error {
	for {
		fmt.Fprintf(m.out, "%s to move> ", stones[len(m.moves)%2])
		line, err := m.lines.next(ctx)
		if err != nil {
			fmt.Fprintln(m.out)
			if errors.Is(err, io.EOF) {
				return errQuit
			}
			return quitOnCancel(ctx, fmt.Errorf("cannot read a move: %w", err))
		}
		switch word := strings.ToLower(strings.TrimSpace(line)); word {
		case "":
		case "quit", "exit", "q":
			return errQuit
		case "help", "?":
			m.help()
		case "hint":
			if err := m.hint(ctx); err != nil {
				return err
			}
		case "undo":
			if m.undo() {
				return nil
			}
			fmt.Fprintln(m.out, "There is no move of yours to take back.")
		default:
			a, err := m.parseMove(word)
			if err == nil {
				m.push(a)
				return nil
			}
			fmt.Fprintln(m.out, err)
		}
	}
}

// quitOnCancel takes an interruption for the wish to leave.
func quitOnCancel(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return errQuit
	}
	return err
}

func (m *match[S]) help() {
	var names []string
	for _, a := range m.state.Legal(nil) {
		names = append(names, m.game.FormatAction(a))
	}
	fmt.Fprintf(m.out, "Moves: %s\nundo takes your last move back, hint shows what the engine thinks, quit leaves.\n", strings.Join(names, " "))
}

// hint shows the engine's opinion of each move, the best first.
func (m *match[S]) hint(ctx context.Context) error {
	a, err := arena.Analyze(ctx, m.advisor, m.state, m.rng)
	if err != nil {
		return quitOnCancel(ctx, err)
	}
	best := slices.Clone(a.Moves)
	slices.SortStableFunc(best, func(x, y mcts.Stat) int {
		return cmp.Or(cmp.Compare(a.Policy[y.Action], a.Policy[x.Action]), cmp.Compare(y.Visits, x.Visits))
	})
	fmt.Fprintf(m.out, "%s to move: %s, best %s\n", stones[len(m.moves)%2], opinion(a), m.game.FormatAction(a.Best))
	fmt.Fprintf(m.out, "%6s %8s %7s %7s\n", "move", "visits", "value", "prior")
	for _, s := range best[:min(10, len(best))] {
		proven := ""
		if s.Proven != mcts.Unknown {
			proven = "proven " + s.Proven.String()
		}
		fmt.Fprintf(m.out, "%6s %8d %+7.2f %6.1f%% %s\n", m.game.FormatAction(s.Action), s.Visits, s.Q, 100*s.Prior, proven)
	}
	return nil
}

// undo goes back to the person's move before this one, false when there is none.
func (m *match[S]) undo() bool {
	plies := 2
	if m.engine == nil {
		plies = 1
	}
	if len(m.moves) < plies {
		return false
	}
	moves := m.moves[:len(m.moves)-plies]
	m.moves, m.state = nil, m.game.Start()
	for _, a := range moves {
		m.push(a)
	}
	return true
}

// parseMove reads one legal move.
func (m *match[S]) parseMove(word string) (game.Action, error) {
	moves, err := m.game.ParseMoves(word)
	if err != nil {
		return game.None, err
	}
	if len(moves) != 1 {
		return game.None, fmt.Errorf("%q is %d moves, type one", word, len(moves))
	}
	if !slices.Contains(m.state.Legal(nil), moves[0]) {
		return game.None, fmt.Errorf("%s is not legal here: help lists the moves", word)
	}
	return moves[0], nil
}

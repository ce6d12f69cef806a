package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"tengen/doors/analysis"
	"tengen/engine"
	"tengen/engine/transcript"
	"tengen/internal/printable"
	"tengen/players"
)

func newAnalyze() *cobra.Command {
	var flags configFlags
	config := analysis.Config{AnalyzeConfig: engine.AnalyzeConfig{Workers: runtime.GOMAXPROCS(0)}}
	var gameName string
	var stream, moves bool
	cmd := &cobra.Command{
		Use:   "analyze --player SPEC",
		Args:  noPositions,
		Short: "Print a player's view of positions",
		RunE: func(cmd *cobra.Command, _ []string) error {
			e, options, err := flags.players(gameName, config.Player)
			if err != nil {
				return err
			}
			defer options.Device.Close()
			if options.Talk, err = openTalk(cmd); err != nil {
				return err
			}
			config.Players = options
			if stream {
				return analysis.Serve(cmd.Context(), e, config, cmd.InOrStdin(), cmd.OutOrStdout())
			}
			player, err := e.Player(config.Player, options)
			if err != nil {
				return err
			}
			return analyze(cmd, e, player, config, moves, &flags)
		},
	}
	flags.register(cmd, "")
	specFlag(cmd, &config.Player, anyEngine, "player", "the player's `SPEC`, see tengen help players")
	gameFlag(cmd, &gameName, "`name` of the game, if the player's model does not determine it")
	cmd.Flags().Uint64Var(&config.Seed, "seed", 1, "seed of the player's random choices")
	coresFlag(cmd, &config.Workers, "workers", "number of goroutines; with --stream, of concurrent searches")
	cmd.Flags().BoolVar(&moves, "moves", false, "also print the visits, value and prior of each move, as JSON always does")
	jsonFlag(cmd, "print one JSON object per line")
	cmd.Flags().BoolVar(&stream, "stream", false, "read JSON requests and answer each when it is ready")
	talkFlag(cmd)
	cmd.Flags().IntVar(&config.Threads, "threads", 1, "goroutines per search, with --stream")
	return cmd
}

func analyze(cmd *cobra.Command, e engine.Game, player engine.Player, config analysis.Config, moves bool, flags *configFlags) error {
	ctx, stop := context.WithCancel(cmd.Context())
	defer stop()
	questions := make(chan engine.Question, 1024)
	var unreadable error // valid once questions is closed
	go func() {
		defer close(questions)
		unreadable = eachLine(ctx, cmd.InOrStdin(), func(text string) error {
			p, err := transcript.Position(e, text)
			select {
			case questions <- engine.Question{Position: p, Err: err}:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}()
	line, bad, failed := 0, 0, 0
	err := e.Analyze(ctx, config.AnalyzeConfig, player, questions, func(q engine.Question, a *players.Analysis) error {
		line++
		switch p := q.Position; {
		case p.Over:
			result := map[string]string{"moves": p.Notation(), "winner": p.Winner()}
			return printLine(cmd, result, fmt.Sprintf("%s: over, %s", p.Name(), p.Result()))
		case q.Err != nil:
			bad++
			if errors.As(q.Err, new(players.Forfeit)) {
				failed++
			}
			text := fmt.Sprintf("line %d: %s", line, oneLine(q.Err.Error()))
			return printLine(cmd, map[string]string{"error": text}, "error: "+text)
		default:
			answer := flags.identified(engine.NewAnalysisJSON(p, a), config.Player, players.Spec{})
			err := printLine(cmd, answer, engine.AnalysisText(p, a))
			if err == nil && moves && !wantsJSON(cmd) {
				err = printMoves(cmd.OutOrStdout(), p, a, len(a.Moves))
			}
			return err
		}
	})
	switch {
	case err != nil:
		return err // questions may still be open
	case unreadable != nil:
		return unreadable
	case bad == 0:
		return nil
	}
	err = fmt.Errorf("%s of %d could not be analyzed", printable.Plural(bad, "line"), line)
	if failed == 0 {
		err = usageErrorf("%w", err)
	}
	return err
}

package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"tengen/doors/analysis"
	"tengen/engine"
	"tengen/players"
	"tengen/run"
)

func newAnalyze() *cobra.Command {
	var flags configFlags
	config := analysis.Config{AnalyzeConfig: engine.AnalyzeConfig{Workers: runtime.GOMAXPROCS(0)}}
	var player, gameName string
	var asJSON, stream bool
	cmd := &cobra.Command{
		Use:   "analyze --player SPEC",
		Short: "Say what a player thinks of positions, one a line",
		Long: "analyze reads positions from standard input, one a line, and answers each with\n" +
			"a line, in their order and each as soon as it can, so that another program can\n" +
			"talk to it. A position is its moves: 44353 in Connect Four, h8 i9 on other\n" +
			"boards, an empty line the starting position; or its board, row by row from the\n" +
			"top: ..O/.X./X... Of a game that is over, the answer says who has won. A line\n" +
			"that is no position is answered with an error; the exit status is 2 then.\n\n" +
			"With --stream, lines are requests in JSON, with ids and limits of their own,\n" +
			"that are answered as they come, in any order: docs/interfaces/analysis.md.",
		Example: "  echo 44353 | tengen analyze --player net:connect4:500ms\n" +
			`  echo '{"id":"a","moves":"44353","report_milliseconds":100}' | tengen analyze --player net:connect4:500ms --stream`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if config.Player, err = parseEngine("--player", player); err != nil {
				return err
			}
			e, options, err := flags.players(gameName, config.Player)
			if err != nil {
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
			return analyze(cmd.Context(), cmd, e, player, config.AnalyzeConfig, asJSON)
		},
	}
	flags.register(cmd, "")
	specFlag(cmd, &player, "player", "the player's `SPEC`: "+players.EngineForms())
	gameFlag(cmd, &gameName, "`name` of the game, where the player's model does not tell")
	cmd.Flags().Uint64Var(&config.Seed, "seed", 1, "seed of the player's random choices")
	coresFlag(cmd, &config.Workers, "workers", "number of goroutines, with --stream of searches at once")
	cmd.Flags().BoolVar(&asJSON, "json", false, "answer with a JSON object a line")
	cmd.Flags().BoolVar(&stream, "stream", false, "read requests in JSON and answer them as they come")
	cmd.Flags().IntVar(&config.Threads, "threads", 1, "number of goroutines of each search, with --stream")
	return cmd
}

func analyze(ctx context.Context, cmd *cobra.Command, e engine.Game, player engine.Player, config engine.AnalyzeConfig, asJSON bool) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	lines := readLines(ctx, cmd.InOrStdin())
	questions := make(chan engine.Question)
	var unreadable error
	go func() {
		defer close(questions)
		for {
			text, err := lines.next(ctx)
			if err != nil {
				unreadable = err
				return
			}
			select {
			case questions <- engine.Ask(e, text):
			case <-ctx.Done():
			}
		}
	}()
	line, bad := 0, 0
	err := player.Analyze(ctx, config, questions, func(q engine.Question, a *players.Analysis) error {
		line++
		if q.Position.Over {
			return printOver(cmd, e, q.Position, asJSON)
		}
		if q.Err != nil {
			bad++
			return printBadLine(cmd, line, q.Err, asJSON)
		}
		if asJSON {
			return json.NewEncoder(cmd.OutOrStdout()).Encode(engine.NewAnalysisJSON(e, q.Position, a))
		}
		_, err := fmt.Fprintln(cmd.OutOrStdout(), engine.AnalysisText(e, q.Position, a))
		return err
	})
	switch {
	case err != nil:
		return err
	case !errors.Is(unreadable, io.EOF):
		return fmt.Errorf("line %d: cannot read the position: %w", line+1, unreadable)
	case bad > 0:
		return usageErrorf("%s of %d could not be analyzed", run.Plural(bad, "line"), line)
	}
	return nil
}

func printOver(cmd *cobra.Command, e engine.Game, p engine.Position, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(cmd.OutOrStdout()).Encode(map[string]string{"moves": e.Format(p.Moves...), "winner": p.Winner()})
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s: over, %s\n", engine.PositionName(e, p), p.Result())
	return err
}

func printBadLine(cmd *cobra.Command, line int, err error, asJSON bool) error {
	text := fmt.Sprintf("line %d: %s", line, oneLine(err.Error()))
	if asJSON {
		return json.NewEncoder(cmd.OutOrStdout()).Encode(map[string]string{"error": text})
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), "error:", text)
	return err
}

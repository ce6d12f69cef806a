package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"tengen/engine"
	"tengen/game"
)

// countPositions prints how many positions the game has at each ply, as it goes: a large game takes long.
func countPositions(ctx context.Context, out io.Writer, e engine.Game, opt solveOptions) error {
	row := func(ply string, c game.Census) error {
		_, err := fmt.Fprintf(out, "%4s %14d %12d %12d %12d %12d\n",
			ply, c.Positions, c.Terminal.Total(), c.Terminal.FirstWins, c.Terminal.SecondWins, c.Terminal.Draws)
		return err
	}
	if !opt.json {
		fmt.Fprintf(out, "%4s %14s %12s %12s %12s %12s\n", "ply", "positions", "over", "first wins", "second wins", "draws")
	}
	var total game.Census
	ply := 0
	err := e.Count(ctx, opt.plies, func(c game.Census) error {
		total.Positions += c.Positions
		total.Terminal.FirstWins += c.Terminal.FirstWins
		total.Terminal.SecondWins += c.Terminal.SecondWins
		total.Terminal.Draws += c.Terminal.Draws
		ply++
		if !opt.json {
			return row(strconv.Itoa(ply-1), c)
		}
		return json.NewEncoder(out).Encode(map[string]any{
			"ply": ply - 1, "positions": c.Positions, "over": c.Terminal.Total(),
			"first_wins": c.Terminal.FirstWins, "second_wins": c.Terminal.SecondWins, "draws": c.Terminal.Draws,
		})
	})
	if err == nil && !opt.json {
		return row("all", total)
	}
	return err
}

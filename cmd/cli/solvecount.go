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

// countPositions prints the number of positions at each ply as it counts, since a large game takes long.
func countPositions(ctx context.Context, out io.Writer, e engine.Game, opt solveOptions) error {
	rows := newTable(out, column{"ply", 4, 0}, column{"positions", 14, 0}, column{"over", 12, 0},
		column{"first wins", 12, 1}, column{"second wins", 12, 1}, column{"draws", 12, 1})
	row := func(ply string, c game.Census) error {
		return rows.row(ply, fmt.Sprint(c.Positions), fmt.Sprint(c.Terminal.Total()), fmt.Sprint(c.Terminal.FirstWins),
			fmt.Sprint(c.Terminal.SecondWins), fmt.Sprint(c.Terminal.Draws))
	}
	if !opt.json {
		rows.header()
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

package cli

import (
	"fmt"

	"tengen/engine"
	"tengen/game"
)

func drawBoard(p engine.Position, colour bool) string {
	if !colour {
		return p.String()
	}
	return p.Draw(func(side game.Side, sign string) string {
		code := 36
		if side == game.First {
			code = 33
		}
		return fmt.Sprintf("\x1b[1;%dm%s\x1b[0m", code, sign)
	})
}

// Command pbrain-tengen plays gomoku by the Gomocup protocol, like `tengen gomocup` without flags. Its only network is
// for five in a row, so it is small enough for tournaments.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"tengen/checkpoints"
	"tengen/doors/gomocup"
	"tengen/doors/manager"
	"tengen/engine"
	"tengen/game/mnk"
	"tengen/net"
)

func main() {
	register()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := gomocup.Run(ctx, os.Stdin, os.Stdout, gomocup.Options{
		Options: manager.Options{Players: gomocup.DefaultPlayers("gomoku"), Seed: 1}, Version: engine.Version(),
	})
	stop()
	if err != nil {
		os.Exit(1) // silently: stdout is broken, and managers take stderr for moves
	}
}

// register registers gomoku's boards and the only network.
func register() {
	boards := engine.Rules[mnk.State, *mnk.Game]{Name: "mnk", Form: "mnk:COLUMNS,ROWS,K", Parse: mnk.Parse}
	learned := boards
	learned.Name, learned.Form = "gomoku", "gomoku"
	learned.Parse = func(string) (*mnk.Game, error) { return mnk.Gomoku(), nil }
	engine.Register(boards, learned)
	engine.RegisterModels(func(string) (*net.Model, error) {
		m := new(net.Model)
		return m, m.UnmarshalBinary(checkpoints.FiveInARow)
	}, nil)
}

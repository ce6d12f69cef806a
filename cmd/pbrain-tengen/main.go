// Command pbrain-tengen plays gomoku by the Gomocup protocol, as tengen gomocup does, with the network that comes with tengen. It is
// small enough for tournaments, and takes no flags.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"tengen/doors/gomocup"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := gomocup.Run(ctx, os.Stdin, os.Stdout, gomocup.Options{Version: version(), Seed: 1})
	stop()
	if err != nil {
		os.Exit(1) // nobody listens: there is no other place to say so, because managers take stderr for moves
	}
}

// version is that of the module.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

package tengen

import (
	"tengen/doors/web/inbrowser"
	"tengen/engine"
	"tengen/run/games"
)

// Main answers the requests of a page that has no server.
func Main(own ...engine.Family) {
	games.Register()
	engine.Register(own...)
	inbrowser.Main()
}

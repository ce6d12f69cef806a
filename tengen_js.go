package tengen

import (
	"tengen/doors/web/inbrowser"
	"tengen/engine"
	"tengen/run/games"
)

// Main answers the requests of a page that has no server.
func Main(own ...engine.Family) {
	engine.Register(own...) // before the others, so lists begin with them
	games.Register()
	inbrowser.Main()
}

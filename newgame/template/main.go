// Command yourgame is tengen with a game of yours.
package main

import (
	"tengen"
	"tengen/engine"

	"tengen/newgame/template/rules"
)

func main() {
	tengen.Main(engine.Rules[rules.State, *rules.Game]{
		Name: "yourgame", Form: "yourgame or yourgame:COLUMNS,ROWS", Parse: rules.Parse, Boards: []string{"yourgame"},
	})
}

package game

import "strings"

// JoinMoves writes moves one after the other in a game's notation, with a separator between them: what most games'
// FormatMoves do.
func JoinMoves[S State[S]](g Game[S], moves []Action, separator string) string {
	texts := make([]string, len(moves))
	for i, a := range moves {
		texts[i] = g.FormatAction(a)
	}
	return strings.Join(texts, separator)
}

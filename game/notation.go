package game

import "strings"

// JoinMoves formats moves with a separator between them. Most games use it for FormatMoves.
func JoinMoves[S State[S]](g Game[S], moves []Action, separator string) string {
	texts := make([]string, len(moves))
	for i, a := range moves {
		texts[i] = g.FormatAction(a)
	}
	return strings.Join(texts, separator)
}

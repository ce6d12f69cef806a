package game

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"tengen/internal/random"
)

// FormatMoves returns the notation of moves from a position: "44353" in Connect Four, "h8 i9" in gomoku, "" for none.
// There are no spaces if every legal move of from has one character. An illegal move becomes its number, "#400", and so
// do all moves after it.
func FormatMoves[S State[S]](from S, moves []Action) string {
	separator := " "
	if short(from) {
		separator = ""
	}
	return strings.Join(MoveTexts(from, moves), separator)
}

// short reports whether every legal move has one character.
func short[S State[S]](s S) bool {
	return !slices.ContainsFunc(s.Legal(nil), func(a Action) bool { return len(s.Format(a)) > 1 })
}

// MoveTexts is FormatMoves for each move by itself.
func MoveTexts[S State[S]](from S, moves []Action) []string {
	texts := make([]string, len(moves))
	legal, known := from.Legal(nil), true
	for i, a := range moves {
		if known = known && slices.Contains(legal, a); !known {
			texts[i] = fmt.Sprintf("#%d", a)
			continue
		}
		texts[i] = from.Format(a)
		from = from.Play(a)
		legal = from.Legal(legal[:0])
	}
	return texts
}

// Pass is the notation of a pass. Where it is the only legal move, texts may leave it out (see ParseMoves), and after a
// move on a page or in a terminal it is played by itself.
const Pass = "pass"

// passes are the words for a pass in tengen and in other programs.
var passes = []string{Pass, "pa", "ps", "--", "@@"}

// likelyMove finds what was meant as the first move of a text, so that an error quotes no more of it: signs, letters and
// numbers, such as "3:0", or one digit.
var likelyMove = map[bool]*regexp.Regexp{
	false: regexp.MustCompile(`^[^\pL\pN]{0,20}\pL{0,20}\pN{0,20}(?:[:.]\pN{1,20})*`),
	true:  regexp.MustCompile(`^[^\pL\pN]{0,20}(\pL{1,20}|\pN)?`),
}

// ParseMoves reads legal moves from a position, ignoring case, and returns them with the position after them. Spaces
// and commas separate moves, but need not: of a word that is no move, the longest move at its beginning is read, then
// the rest. Numbers are only split if every legal move of from has one character. A pass that is the only legal move
// may be left out, as records of Othello do, if another move follows. The error names the first move that is not legal,
// by number from 1.
func ParseMoves[S State[S]](from S, text string) (moves []Action, to S, err error) {
	to = from
	digits := short(from)
	words := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\n' || r == '\r' })
	for _, word := range words {
		for rest := word; rest != ""; {
			a, length := longestMove(to, rest, digits)
			if length == 0 {
				legal := to.Legal(nil)
				if len(legal) != 1 || to.Format(legal[0]) != Pass {
					return moves, to, fmt.Errorf("move %d, %q, %s", len(moves)+1, likelyMove[digits].FindString(rest), refusal(to))
				}
				a = legal[0]
			}
			moves, to, rest = append(moves, a), to.Play(a), rest[length:]
		}
	}
	return moves, to, nil
}

// longestMove returns the legal move with the longest notation at the beginning of text, and its length, 0 for none.
// Without digits it does not end within a number.
func longestMove[S State[S]](s S, text string, digits bool) (move Action, length int) {
	for _, a := range s.Legal(nil) {
		names := []string{s.Format(a)}
		if names[0] == Pass {
			names = passes
		}
		for _, name := range names {
			n := len(name)
			if n <= length || n > len(text) || !strings.EqualFold(text[:n], name) {
				continue
			}
			if digits || n == len(text) || !isDigit(text[n-1]) || !isDigit(text[n]) {
				move, length = a, n
			}
		}
	}
	return move, length
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// refusal says why a text is no move.
func refusal[S State[S]](s S) string {
	if _, over := s.Outcome(); over {
		return "comes after the end of the game"
	}
	return "is not legal here: legal are " + LegalMoves(s)
}

// LegalMoves returns the notation of the legal moves of a position, at most twelve and the number of the others.
func LegalMoves[S State[S]](s S) string {
	legal, others := s.Legal(nil), ""
	if n := len(legal) - 12; n > 0 {
		legal, others = legal[:12], fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(MoveList(s, legal), ", ") + others
}

// MoveList returns the notation of some legal moves of one position.
func MoveList[S State[S]](s S, legal []Action) []string {
	names := make([]string, len(legal))
	for i, a := range legal {
		names[i] = s.Format(a)
	}
	return names
}

const (
	namedPlies = 10_000 // of random games for ActionNames
	ambiguous  = "?"
)

// ActionNames returns the notation of each action [Actions] for each side, as Format wrote it in random games: "" if
// the action was not legal there, or had several.
func ActionNames[S State[S]](g Game[S]) map[Side][]string {
	names := map[Side][]string{First: make([]string, g.Actions()), Second: make([]string, g.Actions())}
	rng, s := random.New(1, random.Names), g.Start()
	for range namedPlies {
		if _, over := s.Outcome(); over {
			s = g.Start()
		}
		for _, a := range s.Legal(nil) {
			switch known, name := &names[s.ToMove()][a], s.Format(a); *known {
			case "":
				*known = name
			case name:
			default:
				*known = ambiguous
			}
		}
		moves := RandomMoves(s, nil)
		s = s.Play(moves[rng.IntN(len(moves))])
	}
	for _, list := range names {
		for a, name := range list {
			if name == ambiguous {
				list[a] = ""
			}
		}
	}
	return names
}

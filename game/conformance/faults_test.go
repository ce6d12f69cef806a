package conformance

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"tengen/game"
	"tengen/game/mnk"
)

// faulted is a fault and the claim that it breaks.
type faulted struct {
	fault
	breaks string
}

// faults are mistakes that one makes in writing a game.
func faults() map[string]faulted {
	all := map[string]faulted{}
	for _, some := range []map[string]faulted{
		moveFaults(), planeFaults(), symmetryFaults(), notationFaults(), keyFaults(), stoneFaults(), lineFaults(), setupFaults(),
	} {
		maps.Copy(all, some)
	}
	return all
}

func moveFaults() map[string]faulted {
	return map[string]faulted{
		"outcome from the winner's view": {fault{
			Outcome: func(s mnk.State) (float32, bool) { z, over := s.Outcome(); return -z, over },
		}, "lines decide the game"},
		"a win is a draw": {fault{
			Outcome: func(s mnk.State) (float32, bool) { _, over := s.Outcome(); return 0, over },
		}, "lines decide the game"},
		"no win on the long diagonal": {fault{
			Outcome: func(s mnk.State) (float32, bool) {
				z, over := s.Outcome()
				if key := s.Key(); key[1]&0b100010001 == 0b100010001 {
					z = 0
				}
				return z, over
			},
		}, "lines decide the game"},
		"a legal move is missing": {fault{
			Legal: func(s mnk.State, dst []game.Action) []game.Action {
				return slices.DeleteFunc(s.Legal(dst), func(a game.Action) bool { return a == 4 && len(s.Legal(nil)) > 1 })
			},
		}, "lines decide the game"},
		"outcome before the end": {fault{
			Outcome: func(s mnk.State) (float32, bool) { z, over := s.Outcome(); return z - 0.5, over },
		}, "outcomes are results"},
		"a won game goes on": {fault{
			Outcome: func(s mnk.State) (float32, bool) { return 0, s.Last() != game.None && len(emptyCells(s)) == 0 },
		}, "games end"},
		"legal moves after the end": {fault{
			Legal: func(s mnk.State, dst []game.Action) []game.Action { return append(dst, emptyCells(s)...) },
		}, "games end"},
		"legal moves descend": {fault{
			Legal: func(s mnk.State, dst []game.Action) []game.Action {
				legal := s.Legal(nil)
				slices.Reverse(legal)
				return append(dst, legal...)
			},
		}, "legal moves are in order"},
		"a legal move twice": {fault{
			Legal: func(s mnk.State, dst []game.Action) []game.Action {
				for _, a := range s.Legal(nil) {
					dst = append(dst, a, a)
				}
				return dst
			},
		}, "legal moves are in order"},
		"legal moves overwrite dst": {fault{
			Legal: func(s mnk.State, dst []game.Action) []game.Action { return s.Legal(dst[:0]) },
		}, "legal moves are in order"},
		"no legal move at the start": {fault{
			Legal: func(s mnk.State, dst []game.Action) []game.Action {
				if s.Last() == game.None {
					return dst
				}
				return s.Legal(dst)
			},
		}, "the start is an open game"},
		"an illegal move passes": {fault{
			Play: func(s state, a game.Action) state {
				if slices.Contains(s.State.Legal(nil), a) {
					s.State = s.State.Play(a)
				}
				return s
			},
		}, "illegal moves panic"},
		"plies are counted from 1":       {fault{Ply: func(s mnk.State) int { return s.Ply() + 1 }}, "the sides move in turn"},
		"the first player always moves":  {fault{ToMove: func(s mnk.State) game.Side { return game.First }}, "the sides move in turn"},
		"the second player begins":       {fault{ToMove: func(s mnk.State) game.Side { return s.ToMove().Opponent() }}, "the start is an open game"},
		"games last longer than is said": {fault{Plies: 8}, "games end"},
		"games of no plies":              {fault{Plies: -1}, "the board is described"},
		"play allocates": {fault{
			Play: func(s state, a game.Action) state {
				allocated = make([]uint64, 1)
				s.State = s.State.Play(a)
				return s
			},
		}, "the hot loop does not allocate"},
	}
}

func planeFaults() map[string]faulted {
	alter := func(f func(s mnk.State, planes []float32)) fault {
		return fault{Encode: func(s mnk.State, planes []float32) { s.Encode(planes); f(s, planes) }}
	}
	const claim = "planes show the stones"
	return map[string]faulted{
		"own stones first for the first player only": {alter(func(s mnk.State, planes []float32) {
			if planes[27] == 0 {
				swap(planes[:9], planes[9:18])
			}
		}), claim},
		"planes of the player who moved": {alter(func(s mnk.State, planes []float32) {
			swap(planes[:9], planes[9:18])
		}), claim},
		"no last move":             {alter(func(s mnk.State, planes []float32) { clear(planes[18:27]) }), claim},
		"side to move upside down": {alter(func(s mnk.State, planes []float32) { planes[27] = 1 - planes[27] }), claim},
		"planes upside down": {alter(func(s mnk.State, planes []float32) {
			mnk.TicTacToe().Symmetries()[2].Apply(planes, slices.Clone(planes))
		}), claim},
		"values other than 0 and 1": {alter(func(s mnk.State, planes []float32) { planes[0] *= 255 }), "planes are overwritten"},
		"the start with a stone":    {alter(func(s mnk.State, planes []float32) { planes[4] = 1 }), claim},
		"a plane too many":          {fault{Planes: 5}, "planes are overwritten"},
		"encode adds to the planes": {fault{Encode: func(s mnk.State, planes []float32) {
			fresh := make([]float32, len(planes))
			s.Encode(fresh)
			for i, v := range fresh {
				planes[i] = max(planes[i], v)
			}
		}}, "planes are overwritten"},
		"encode takes a longer buffer": {fault{Encode: func(s mnk.State, planes []float32) {
			s.Encode(planes[:36])
		}}, "planes are overwritten"},
	}
}

func symmetryFaults() map[string]faulted {
	alter := func(f func(all []game.Symmetry) []game.Symmetry) fault {
		var all []game.Symmetry
		for _, s := range mnk.TicTacToe().Symmetries() {
			all = append(all, game.Symmetry{Cells: slices.Clone(s.Cells), Actions: slices.Clone(s.Actions)})
		}
		return fault{Symmetries: f(all)}
	}
	return map[string]faulted{
		"policy not turned": {alter(func(all []game.Symmetry) []game.Symmetry {
			for i := range all {
				all[i].Actions = all[0].Actions
			}
			return all
		}), "symmetries keep the rules"},
		"policy turned back": {alter(func(all []game.Symmetry) []game.Symmetry {
			for i := range all {
				all[i].Actions = inverse(all[i].Actions)
			}
			return all
		}), "symmetries keep the rules"},
		"a map that is not of the rules": {alter(func(all []game.Symmetry) []game.Symmetry {
			exchange := all[0]
			exchange.Cells = []int32{1, 0, 2, 3, 4, 5, 6, 7, 8}
			exchange.Actions = []game.Action{1, 0, 2, 3, 4, 5, 6, 7, 8}
			return []game.Symmetry{all[0], exchange}
		}), "symmetries keep the rules"},
		"two cells to one": {alter(func(all []game.Symmetry) []game.Symmetry {
			all[3].Cells[0] = all[3].Cells[1]
			return all
		}), "symmetries are permutations"},
		"a symmetry is missing": {alter(func(all []game.Symmetry) []game.Symmetry {
			return all[:7]
		}), "symmetries form a group"},
		"the identity is not the first": {alter(func(all []game.Symmetry) []game.Symmetry {
			all[0], all[1] = all[1], all[0]
			return all
		}), "symmetries are permutations"},
		"no symmetry": {alter(func(all []game.Symmetry) []game.Symmetry { return all[:0] }), "symmetries are permutations"},
	}
}

func notationFaults() map[string]faulted {
	write := func(f func(text string) string) fault {
		return fault{Format: func(s mnk.State, a game.Action) string { return f(s.Format(a)) }}
	}
	const claim = "notation parses back"
	return map[string]faulted{
		"two moves have one text":   {write(func(text string) string { return strings.ReplaceAll(text, "c", "b") }), claim},
		"texts differ in case only": {write(func(text string) string { return strings.ReplaceAll(text, "c", "B") }), claim},
		"a text with a space":       {write(func(text string) string { return text[:1] + " " + text[1:] }), claim},
		"a text with a comma":       {write(func(text string) string { return text[:1] + "," + text[1:] }), claim},
		"a move without text":       {write(func(text string) string { return strings.ReplaceAll(text, "a1", "") }), claim},
	}
}

func keyFaults() map[string]faulted {
	const claim = "keys tell stones apart"
	return map[string]faulted{
		"the key covers the last move": {fault{Key: func(s mnk.State) game.Key {
			key := s.Key()
			return game.Key{key[0], key[1] ^ uint64(s.Last())<<32}
		}}, claim},
		"the key forgets whose stones": {fault{Key: func(s mnk.State) game.Key {
			key := s.Key()
			return game.Key{key[0] | key[1]}
		}}, "equal keys stand for equal play"},
		"the key forgets a cell": {fault{Key: func(s mnk.State) game.Key {
			key := s.Key()
			return game.Key{key[0] &^ 1, key[1] &^ 1}
		}}, "equal keys stand for equal play"},
	}
}

func stoneFaults() map[string]faulted {
	onto := func(cell func(a int) int) fault {
		return fault{Target: func(s mnk.State, a game.Action) game.Target { return game.Onto(cell(int(a))) }}
	}
	const claim = "stones are placed"
	return map[string]faulted{
		"cells in the view of the side to move": {fault{Cell: func(s mnk.State, cell int) game.Side {
			return s.Cell(cell) * s.ToMove()
		}}, claim},
		"cells upside down":           {fault{Cell: func(s mnk.State, cell int) game.Side { return s.Cell(8 - cell) }}, claim},
		"two moves share a cell":      {onto(func(a int) int { return a / 2 }), "targets stand for moves"},
		"a target beyond the board":   {onto(func(a int) int { return a + 9 }), "targets stand for moves"},
		"stones land beside the cell": {onto(func(a int) int { return (a + 1) % 9 }), claim},
		"stones come from a cell":     {fault{Target: func(s mnk.State, a game.Action) game.Target { return game.Target{From: 0, To: int(a)} }}, claim},
	}
}

func lineFaults() map[string]faulted {
	const claim = "lines decide the game"
	alter := func(f func(set *game.LineSet)) fault {
		right := mnk.TicTacToe().Start().Lines()
		set := game.LineSet{Cells: slices.Clone(right.Cells), Below: slices.Clone(right.Below), Actions: slices.Clone(right.Actions)}
		f(&set)
		return fault{Lines: func(mnk.State) *game.LineSet { return &set }}
	}
	return map[string]faulted{
		"a line is missing":         {alter(func(set *game.LineSet) { set.Cells = set.Cells[1:] }), claim},
		"a line too many":           {alter(func(set *game.LineSet) { set.Cells = append(set.Cells, []int16{0, 1, 5}) }), claim},
		"a line with a cell twice":  {alter(func(set *game.LineSet) { set.Cells = append(set.Cells, []int16{0, 4, 4}) }), claim},
		"a cell lies on another":    {alter(func(set *game.LineSet) { set.Below[3] = 6 }), claim},
		"two cells have one move":   {alter(func(set *game.LineSet) { set.Actions[3] = 2 }), claim},
		"lines for a smaller board": {alter(func(set *game.LineSet) { set.Below = set.Below[:8] }), claim},
		"ends of some lines only":   {alter(func(set *game.LineSet) { set.Ends = make([][2]int16, 7) }), claim},
		"a line off the board":      {alter(func(set *game.LineSet) { set.Cells = append(set.Cells, []int16{7, 8, 9}) }), claim},
		"an end off the board": {alter(func(set *game.LineSet) {
			set.Ends = slices.Repeat([][2]int16{{-1, 9}}, 8)
		}), claim},
		"a line ends in itself": {alter(func(set *game.LineSet) {
			set.Ends = slices.Repeat([][2]int16{{-1, -1}}, 8)
			set.Ends[0][1], set.Exact = set.Cells[0][1], true
		}), claim},
		"a line that wins is said to be spoilt": {alter(func(set *game.LineSet) {
			set.Ends, set.Exact = slices.Repeat([][2]int16{{-1, -1}}, 8), true
			set.Ends[0][0] = 8
		}), claim},
		"lines are rebuilt":           {fault{Lines: func(s mnk.State) *game.LineSet { set := *s.Lines(); return &set }}, claim},
		"stones are added to the set": {fault{Stones: addStones}, claim},
		"own stones first": {fault{Stones: func(s mnk.State, first, second []uint64) {
			key := s.Key()
			first[0], second[0] = key[0], key[1]
		}}, claim},
		"stones allocate": {fault{Stones: func(s mnk.State, first, second []uint64) {
			allocated = make([]uint64, 1)
			s.Stones(first, second)
		}}, "the hot loop does not allocate"},
	}
}

// addStones is a Stones that leaves what is in the sets.
func addStones(s mnk.State, first, second []uint64) {
	var sets [2][1]uint64
	s.Stones(sets[0][:], sets[1][:])
	first[0] |= sets[0][0]
	second[0] |= sets[1][0]
}

// allocated keeps what a fault has allocated.
var allocated []uint64

func setupFaults() map[string]faulted {
	const claim = "positions can be set up"
	type cells = []game.Side
	return map[string]faulted{
		"the last move is forgotten": {fault{FromStones: func(g *mnk.Game, cells cells, toMove game.Side, last game.Action) (mnk.State, error) {
			return g.FromStones(cells, toMove, game.None)
		}}, claim},
		"the sides change places": {fault{FromStones: func(g *mnk.Game, cells cells, toMove game.Side, last game.Action) (mnk.State, error) {
			for i := range cells {
				cells[i] = -cells[i]
			}
			return g.FromStones(cells, toMove.Opponent(), last)
		}}, claim},
		"a last move must be known": {fault{FromStones: func(g *mnk.Game, cells cells, toMove game.Side, last game.Action) (mnk.State, error) {
			if last == game.None {
				return mnk.State{}, errors.New("no last move")
			}
			return g.FromStones(cells, toMove, last)
		}}, claim},
		"too many cells are cut off": {fault{FromStones: func(g *mnk.Game, cells cells, toMove game.Side, last game.Action) (mnk.State, error) {
			return g.FromStones(cells[:min(9, len(cells))], toMove, last)
		}}, claim},
	}
}

// emptyCells are those where neither player has a stone.
func emptyCells(s mnk.State) (empty []game.Action) {
	key := s.Key()
	for a := range game.Action(9) {
		if (key[0]|key[1])>>a&1 == 0 {
			empty = append(empty, a)
		}
	}
	return empty
}

func swap(a, b []float32) {
	for i := range a {
		a[i], b[i] = b[i], a[i]
	}
}

func inverse(p []game.Action) []game.Action {
	q := slices.Clone(p)
	for i, j := range p {
		q[j] = game.Action(i)
	}
	return q
}

// firstPlayerOutcome is an Outcome for the first player, instead of the side to move.
func firstPlayerOutcome(s mnk.State) (float32, bool) {
	z, over := s.Outcome()
	return z * float32(s.ToMove()), over
}

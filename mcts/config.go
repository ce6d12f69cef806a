package mcts

import "tengen/internal/limits"

// Config configures a search. config.yaml takes its comments from here, so they call fields by their keys.
type Config struct {
	// Simulations per move in self-play, and for a player "net:PATH" without a number. AlphaZero used 800; small boards
	// learn faster with 50 to 200.
	Simulations int `json:"simulations" default:"48" range:"[1,1e7]"`
	// Weight of the prior against the value. Higher explores more. As in AlphaZero, it starts to grow after some 20000
	// visits of a position.
	CInit float64 `json:"c_init" default:"1.25" range:"[0,100]"`
	// At the root in self-play, an unvisited move gets the root's value minus this times the square root of its visited
	// siblings' total prior. KataGo uses 0. Everywhere else the factor is 0.2.
	RootFirstPlayReduction float64 `json:"root_first_play_reduction" range:"[0,2]"`
	// Share of Dirichlet noise in the root's priors in self-play. Only moves not proven lost get noise, and its
	// concentration (alpha) is 10 divided by their number. AlphaZero used 0.25. 0: no noise.
	NoiseWeight float64 `json:"noise_weight" default:"0.25" range:"[0,1]"`
	// In games won by lines: how many forced moves the search may try at each leaf to prove a win by a chain of
	// threats, before it asks the network. It may try as many again to prove which moves do not stop the opponent's
	// chain. 100 cost a few microseconds; KataGomo, a strong gomoku player, tries up to 5000 in self-play. 0: no
	// proofs.
	ForcedNodes int `json:"forced_nodes" range:"[0,1e6]"`
	// Temperature of the root's priors in self-play, before the noise: p^(1/temperature). Above 1, the search tries more
	// of the moves that an overconfident policy dismisses. This is the temperature at the game's start. It falls towards
	// 1, but keeps two fifths of its distance; every 7 plies it covers half of the way that is left. KataGo falls from
	// 1.25 to 1.1 too. 1: none.
	RootPolicyTemperature float64 `json:"root_policy_temperature" default:"1.25" range:"[0.1,10]"`
	// Forced playouts in self-play, to judge the moves that noise suggests: each root move that was tried gets at least
	// sqrt(forced_playouts * prior * simulations) simulations. Before the policy is learned and the move is drawn, each
	// move but the most visited keeps only as many as its final value justifies. KataGo uses 2. 0: neither.
	ForcedPlayouts float64 `json:"forced_playouts" default:"2" range:"[0,100]"`
}

// Default returns a search for small boards.
func Default() Config { return limits.Default[Config]() }

// Validate returns an error that names the first key out of range.
func (c Config) Validate() error { return limits.Check("search", c) }

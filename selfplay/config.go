package selfplay

import (
	"cmp"
	"fmt"

	"tengen/internal/limits"
)

// Semantics increases when self-play, the search, the network, a game's rules or training change, so that the same seed
// and configuration give another game or model. All programs of a run must agree on it: its workers, and those that
// continue it. TestSemantics notices changes in self-play and the search, run's TestModelsOnEveryArchitecture in all.
const Semantics = 4

// Config configures self-play. config.yaml takes its comments from here, so they call fields by their keys.
type Config struct {
	// Goroutines that play, each with a compiled network. 0: one per core, or two per core with a graphics card, so that
	// some play while others wait. The number never changes the games.
	Workers int `json:"workers" range:"[0,1024]"`
	// Games that each of them plays in lockstep: the batch size of its evaluations. 16 to 64 keep a processor busy. 0: 32,
	// or 256 with a graphics card.
	GamesPerWorker int `json:"games_per_worker" range:"[0,4096]"`
	// Memory for evaluations that may be needed again, in MiB, shared by all workers. 0: none.
	CacheMegabytes int `json:"cache_megabytes" default:"256" range:"[0,1048576]"`
	// 1: an iteration's games are played while the previous model learns, so workers on other machines never wait for
	// the trainer; iteration i plays with the model of iteration i-2. 0: with the model of iteration i-1. It cannot
	// change during a run.
	Ahead int `json:"ahead" range:"[0,1]"`

	// Moves are drawn in proportion to visits^(1/temperature) in the first temperature_plies plies, openings included,
	// and with final_temperature after that. 0 plays the most visited move. AlphaZero used 1 for 30 plies, then 0.
	Temperature      float64 `json:"temperature" default:"0.8" range:"[0,100]"`
	TemperaturePlies int     `json:"temperature_plies" default:"10" range:"[0,1000]"`
	FinalTemperature float64 `json:"final_temperature" default:"0.2" range:"[0,100]"`

	// Lets a search continue with what the previous search found below the move. false: it starts with an empty tree, so
	// all its simulations see its noise, as in KataGo. That costs little, because the cache has most evaluations.
	ReuseTree bool `json:"reuse_tree"`
	// Switches search.forced_nodes off in self-play only. The network then learns the positions that would be proven,
	// and more games are played in the same time.
	LearnForcedMoves bool `json:"learn_forced_moves"`

	// Progressive simulation, as in MiniZero: searches of model 0, which knows nothing, have half of search.simulations,
	// but at most 32; the number grows linearly to search.simulations for the model of iteration grow_iterations. 0:
	// search.simulations from the start.
	GrowIterations int `json:"grow_iterations" default:"25" range:"[0,1e6]"`
	// Searches in the ending, where a game can last at most this many more plies, have at most 16 simulations. That is
	// enough where replay.exact_plies gives the right answers. 0: there is no ending.
	EndingPlies int `json:"ending_plies" range:"[0,1e6]"`

	// Weight in learning of a position whose result was proven before its search began: every position after the first
	// proof in a game. Below 1, positions proven lost, the first one included, teach their value but no policy, because
	// all their moves lose. 1: like any other.
	ProvenWeight float64 `json:"proven_weight" default:"0.2" range:"[0,1]"`
	// Policy surprise weighting, as in KataGo: this share of a game's weight in learning goes to its positions by how
	// far the search moved the policy from the network's; the rest is shared equally. KataGo used 0.5. 0: all equally.
	SurpriseShare float64 `json:"surprise_share" default:"0.5" range:"[0,1]"`

	// A game starts with 0 to this many uniformly random moves, which are not learned from. Without them a player knows
	// only the positions of good play, and a weak opponent can surprise it.
	OpeningPlies int `json:"opening_plies" default:"12" range:"[0,1000]"`
	// Other openings, each for a share of the games. They stop before the game would end and are not learned from.
	Openings Openings `json:"openings"`
	// If the model's value of the position after the opening is farther from 0 than this, another opening of the same
	// kind is drawn with probability 3/4, at most ten times: more games start even. 0: none is redrawn.
	OpeningBalance float64 `json:"opening_balance" default:"0.6" range:"[0,1]"`
}

// Openings are ways to start a game, each for a share of the games.
type Openings struct {
	// Share of the games that start with uniformly random moves, a third of deep_plies to deep_plies of them: unusual
	// positions at all stages of the game.
	DeepShare float64 `json:"deep_share" default:"0.25" range:"[0,1]"`
	DeepPlies int     `json:"deep_plies" default:"24" range:"[0,1000]"`
	// Share (at most 1 together with deep_share) of the games that start with 0 to 8 moves from the network's policy, as
	// in KataGo, at a temperature of 1.5.
	PolicyShare float64 `json:"policy_share" default:"0.1" range:"[0,1]"`
}

// Lockstep returns the games that a goroutine plays at once on a processor.
func (c Config) Lockstep() int { return cmp.Or(c.GamesPerWorker, 32) }

// Default returns a configuration for small boards and a few cores.
func Default() Config { return limits.Default[Config]() }

// Validate returns an error that names the first key out of range.
func (c Config) Validate() error {
	if err := limits.Check("selfplay", c); err != nil {
		return err
	}
	o := c.Openings
	if o.DeepShare+o.PolicyShare > 1 {
		return fmt.Errorf("selfplay.openings.deep_share and policy_share are %v and %v, but must add up to at most 1",
			o.DeepShare, o.PolicyShare)
	}
	return nil
}

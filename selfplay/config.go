package selfplay

import (
	"fmt"

	"tengen/internal/limits"
)

// Semantics is raised when the same seed, number, model and configuration give another game than before, by whatever
// has changed: self-play, the search, the network, a game's rules. Only programs that have the same may play for one
// run. TestSemantics notices changes of self-play and the search.
const Semantics = 1

// Config says how games are played for training.
type Config struct {
	// Workers is the number of goroutines that play, each with its compiled network; 0 takes one per processor core. It
	// changes the speed, never the games.
	Workers int `yaml:"workers" json:"workers"`
	// GamesPerWorker is the number of games that each worker plays in lockstep: the batch size of its evaluations.
	GamesPerWorker int `yaml:"games_per_worker" json:"games_per_worker"`
	// CacheMegabytes is the memory for evaluations that may be needed again, shared by all workers. 0: no cache.
	CacheMegabytes int `yaml:"cache_megabytes" json:"cache_megabytes"`

	// Ahead lets the games of iteration i be played by the model of iteration max(0, i-1-Ahead), 0 or 1. With 1 they
	// are played while the trainer learns from those before, so workers on other machines need not wait for it.
	Ahead int `yaml:"ahead" json:"ahead"`

	// Temperature applies to the first TemperaturePlies plies, openings included; FinalTemperature to the rest. Moves
	// are drawn in proportion to visits^(1/temperature); 0 plays the most visited. AlphaZero used 1 for 30 plies, then
	// 0. (The Gumbel root draws its moves differently, see mcts.Config.Root.)
	Temperature      float64 `yaml:"temperature" json:"temperature"`
	TemperaturePlies int     `yaml:"temperature_plies" json:"temperature_plies"`
	FinalTemperature float64 `yaml:"final_temperature" json:"final_temperature"`

	// FullShare is the share of the searches that are full ones; 1: all are. Full searches explore, and are learned
	// from. The others are fast: FastSimulations at most, kept ones included, without exploration, to play the game on,
	// at FinalTemperature. This is playout cap randomization (Wu 2019, "Accelerating Self-Play Learning in Go", section
	// 3.1).
	FullShare       float64 `yaml:"full_share" json:"full_share"`
	FastSimulations int     `yaml:"fast_simulations" json:"fast_simulations"`
	// FastWeight is the training weight of positions from fast searches: they teach a value, but no policy, as such
	// searches do not explore. 0: nothing is learned from them. Above 0 their records have no policy, which blunder
	// detection (see replay.Config) and reply learning would need.
	FastWeight float64 `yaml:"fast_weight" json:"fast_weight"`

	// FreshTrees starts every full search with an empty tree. Otherwise the search keeps the previous one's subtree,
	// which was searched without this root's noise and is learned with the rest. Where there are fast searches, full
	// ones always start empty.
	FreshTrees bool `yaml:"fresh_trees" json:"fresh_trees"`
	// LearnForcedMoves lets self-play do without mcts.Config.ForcedNodes: what a prover finds is played right without
	// the network, which so never learns it. Players have the prover all the same.
	LearnForcedMoves bool `yaml:"learn_forced_moves" json:"learn_forced_moves"`

	// StartSimulations is the number of simulations of a full search in games of model 0, the untrained network, at
	// most search.simulations. It grows linearly with the model's number, the iteration that made it, to
	// search.simulations for model GrowIterations and later ones. Fast searches never have more than full ones.
	// GrowIterations 0: search.simulations always.
	StartSimulations int `yaml:"start_simulations" json:"start_simulations"`
	GrowIterations   int `yaml:"grow_iterations" json:"grow_iterations"`

	// EndingSimulations limits a full search's simulations in the ending of a game: where at most EndingPlies plies can
	// follow. The right moves may be known there without a search, see replay.Config.ExactPolicy. 0, of either: no
	// limit.
	EndingPlies       int `yaml:"ending_plies" json:"ending_plies"`
	EndingSimulations int `yaml:"ending_simulations" json:"ending_simulations"`

	// ProvenWeight is the training weight of positions whose result was already proven before their search; the search
	// that finds a game's first proof counts in full. Below 1, positions proven lost teach no policy, because all their
	// moves lose. 1: no difference.
	ProvenWeight float64 `yaml:"decided_weight" json:"decided_weight"`

	// SurpriseShare is the share of a game's weight in learning that its positions have by how much the search
	// surprised the network: the divergence of the policy target from the prior. The rest is shared equally. 0: all of
	// it.
	SurpriseShare float64 `yaml:"surprise_share" json:"surprise_share"`

	// OpeningPlies is the most uniformly random moves a game may start with; the number is drawn from 0 to this. They
	// are not trained on.
	OpeningPlies int `yaml:"opening_plies" json:"opening_plies"`

	// Openings are other ways for a game to start.
	Openings Openings `yaml:"openings" json:"openings"`
	// OpeningBalance is the most that the network may think of a side's chances after the opening, in (0, 1]: where the
	// value is farther from 0, another opening is drawn with probability 3/4, at most ten times. 0: any opening is
	// good.
	OpeningBalance float64 `yaml:"opening_balance" json:"opening_balance"`

	// ResignBelow is the value in [-1, 0] below which the side to move gives up; -1: never. PlayOnShare of the games
	// are played to the end all the same, to measure how often giving up would have been wrong. AlphaGo Zero kept that
	// below 5 %, with 10 % of the games played on.
	ResignBelow float64 `yaml:"resign_below" json:"resign_below"`
	PlayOnShare float64 `yaml:"play_on_share" json:"play_on_share"`
}

// Openings start a share of the games each; the others start with up to Config.OpeningPlies random moves. Opening moves
// are not trained on, and all openings stop short of the end of the game.
type Openings struct {
	// DeepShare is the share of the games that start with MinDeepPlies to DeepPlies uniformly random moves.
	DeepShare    float64 `yaml:"deep_share" json:"deep_share"`
	MinDeepPlies int     `yaml:"min_deep_plies" json:"min_deep_plies"`
	DeepPlies    int     `yaml:"deep_plies" json:"deep_plies"`
	// PolicyShare is the share of the games that start with 0 to PolicyPlies moves drawn from the network's policy p,
	// in proportion to p^(1/PolicyTemperature).
	PolicyShare       float64 `yaml:"policy_share" json:"policy_share"`
	PolicyPlies       int     `yaml:"policy_plies" json:"policy_plies"`
	PolicyTemperature float64 `yaml:"policy_temperature" json:"policy_temperature"`
}

// Validate names the first key that is out of range.
func (o Openings) Validate() error {
	if o.DeepShare+o.PolicyShare > 1 {
		return fmt.Errorf("selfplay.openings.deep_share and policy_share are %v and %v, allowed are shares that add up to 1 at most",
			o.DeepShare, o.PolicyShare)
	}
	return limits.Check("selfplay.openings",
		limits.Float("deep_share", o.DeepShare, 0, 1),
		limits.Int("deep_plies", o.DeepPlies, 0, 1000),
		limits.Int("min_deep_plies", o.MinDeepPlies, 0, o.DeepPlies),
		limits.Float("policy_share", o.PolicyShare, 0, 1),
		limits.Int("policy_plies", o.PolicyPlies, 0, 1000),
		limits.Float("policy_temperature", o.PolicyTemperature, 0, 100),
	)
}

// Default is a setting for small boards on a machine with a few cores.
func Default() Config {
	return Config{
		Workers:          0,
		GamesPerWorker:   32,
		CacheMegabytes:   256,
		Temperature:      0.8,
		TemperaturePlies: 10,
		FinalTemperature: 0.2,
		FullShare:        1,
		FastSimulations:  25,
		FastWeight:       0,
		FreshTrees:       false,
		LearnForcedMoves: false,
		StartSimulations: 32,
		GrowIterations:   60,
		ProvenWeight:     0.2,
		SurpriseShare:    0.5,
		OpeningPlies:     12,
		Openings:         Openings{DeepShare: 0.4, MinDeepPlies: 8, DeepPlies: 24, PolicyShare: 0.1, PolicyPlies: 8, PolicyTemperature: 1.5},
		OpeningBalance:   0.9,
		ResignBelow:      -1,
		PlayOnShare:      0.1,
	}
}

// Validate names the first key that is out of range.
func (c Config) Validate() error {
	if err := c.Openings.Validate(); err != nil {
		return err
	}
	return limits.Check("selfplay",
		limits.Int("workers", c.Workers, 0, 1024),
		limits.Int("games_per_worker", c.GamesPerWorker, 1, 4096),
		limits.Int("cache_megabytes", c.CacheMegabytes, 0, 1<<20),
		limits.Int("ahead", c.Ahead, 0, 1),
		limits.Float("temperature", c.Temperature, 0, 100),
		limits.Int("temperature_plies", c.TemperaturePlies, 0, 1000),
		limits.Float("final_temperature", c.FinalTemperature, 0, 100),
		limits.Above("full_share", c.FullShare, 0, 1),
		limits.Int("fast_simulations", c.FastSimulations, 1, 10_000_000),
		limits.Float("fast_weight", c.FastWeight, 0, 1),
		limits.Int("start_simulations", c.StartSimulations, 1, 10_000_000),
		limits.Int("grow_iterations", c.GrowIterations, 0, 1_000_000),
		limits.Int("ending_plies", c.EndingPlies, 0, 1_000_000),
		limits.Int("ending_simulations", c.EndingSimulations, 0, 10_000_000),
		limits.Float("decided_weight", c.ProvenWeight, 0, 1),
		limits.Float("surprise_share", c.SurpriseShare, 0, 1),
		limits.Int("opening_plies", c.OpeningPlies, 0, 1000),
		limits.Float("opening_balance", c.OpeningBalance, 0, 1),
		limits.Float("resign_below", c.ResignBelow, -1, 0),
		limits.Float("play_on_share", c.PlayOnShare, 0, 1),
	)
}

package mcts

import "tengen/internal/limits"

// What Config.Root may be.
const (
	rootPUCT   = "puct"
	rootGumbel = "gumbel"
)

// Config holds the constants of a search.
type Config struct {
	// Simulations is the number of simulations a move, unless Search.Begin says otherwise. AlphaZero used 800.
	Simulations int `yaml:"simulations" json:"simulations"`
	// CInit is the weight of the prior against the value in the PUCT formula: higher explores more. AlphaZero used
	// 1.25.
	CInit float64 `yaml:"c_init" json:"c_init"`
	// CBase is the number of visits after which that weight starts to grow. AlphaZero used 19652.
	CBase float64 `yaml:"c_base" json:"c_base"`
	// VarianceScale is how much the spread of a node's values changes that weight, 0 to 1: see tree.spread. 0: not at
	// all.
	VarianceScale float64 `yaml:"variance_scale" json:"variance_scale"`
	// FirstPlayReduction lowers the value of an unvisited move below its parent's: by this times the square root of the
	// prior mass already visited. 0 takes the parent's value as it is.
	FirstPlayReduction float64 `yaml:"first_play_reduction" json:"first_play_reduction"`
	// RootFirstPlayReduction replaces it at a root that explores (Search.Begin with a generator). KataGo uses 0.
	RootFirstPlayReduction float64 `yaml:"root_first_play_reduction" json:"root_first_play_reduction"`
	// NoiseWeight is the share of Dirichlet noise in the root's priors in self-play. AlphaZero used 0.25. 0: no noise.
	NoiseWeight float64 `yaml:"noise_weight" json:"noise_weight"`
	// NoiseAlpha is the concentration of that noise. AlphaZero used about 10 divided by the usual number of legal
	// moves. 0 takes 10 divided by the number of legal moves not proven lost.
	NoiseAlpha float64 `yaml:"noise_alpha" json:"noise_alpha"`
	// ForcedNodes limits the forced moves that a prover tries at each leaf before evaluation, once for a win and once
	// for a defence: see package game/forced. 0: no prover. Games that are not a game.Alignment never have one.
	ForcedNodes int `yaml:"forced_nodes" json:"forced_nodes"`
	// Root is the rule at the root of a search that explores: "puct", or "gumbel" for Gumbel AlphaZero, see gumbel. The
	// latter uses no prior noise, prior temperature, forced playouts or pruned target, and first-play values only after
	// GumbelSimulations.
	Root string `yaml:"root" json:"root"`
	// GumbelMoves is m, the number of moves that sequential halving starts with. The paper has 16.
	GumbelMoves int `yaml:"gumbel_moves" json:"gumbel_moves"`
	// GumbelCVisit and GumbelCScale are c_visit and c_scale of sigma, which weighs values in [0, 1] against logits. The
	// paper has 50 and 1.
	GumbelCVisit float64 `yaml:"gumbel_c_visit" json:"gumbel_c_visit"`
	GumbelCScale float64 `yaml:"gumbel_c_scale" json:"gumbel_c_scale"`
	// GumbelSimulations is how many simulations use sequential halving. The rest use PUCT without noise, and then the
	// move is drawn from the visits. 0: all.
	GumbelSimulations int `yaml:"gumbel_simulations" json:"gumbel_simulations"`
	// RootPolicyTemperature is T of the exponent 1/T applied to a root's priors in self-play, before the noise, at ply
	// 0. It moves to RootPolicyTemperatureFinal, halfway in each RootPolicyTemperatureHalfLife plies. 1 leaves the
	// priors unchanged.
	RootPolicyTemperature         float64 `yaml:"root_policy_temperature" json:"root_policy_temperature"`
	RootPolicyTemperatureFinal    float64 `yaml:"root_policy_temperature_final" json:"root_policy_temperature_final"`
	RootPolicyTemperatureHalfLife float64 `yaml:"root_policy_temperature_half_life" json:"root_policy_temperature_half_life"`
	// ForcedPlayouts is the k of forced playouts at the root in self-play, see forcedPlayout. 0: none.
	ForcedPlayouts float64 `yaml:"forced_playouts" json:"forced_playouts"`
	// PruneTarget removes from the policy target, and from the move draw in self-play, the simulations that the final
	// values do not justify, see pruneVisits.
	PruneTarget bool `yaml:"prune_target" json:"prune_target"`
	// RootSymmetries is how many images of a position, under the game's first symmetries, are evaluated and averaged
	// when a player is asked about it; all if the game has fewer. 1: the position alone. The player's RootEvaluator
	// does this, because a search cannot turn positions.
	RootSymmetries int `yaml:"root_symmetries" json:"root_symmetries"`
	// LCB chooses the move outside self-play by its lower confidence bound, this many standard errors below its value,
	// among moves with enough simulations: see highestBound. 0: by visits.
	LCB float64 `yaml:"lcb" json:"lcb"`
	// VirtualLoss is the weight of the loss that a simulation in flight counts as, where one tree has several in
	// flight.
	VirtualLoss float64 `yaml:"virtual_loss" json:"virtual_loss"`
}

// Default is a search for small boards.
func Default() Config {
	return Config{
		Simulations:                   80,
		CInit:                         1.25,
		CBase:                         19652,
		VarianceScale:                 0,
		FirstPlayReduction:            0.2,
		RootFirstPlayReduction:        0,
		NoiseWeight:                   0.25,
		NoiseAlpha:                    0,
		ForcedNodes:                   100,
		Root:                          rootPUCT,
		GumbelMoves:                   16,
		GumbelCVisit:                  50,
		GumbelCScale:                  1,
		GumbelSimulations:             0,
		RootPolicyTemperature:         1.25,
		RootPolicyTemperatureFinal:    1.1,
		RootPolicyTemperatureHalfLife: 7,
		ForcedPlayouts:                2,
		PruneTarget:                   true,
		RootSymmetries:                2,
		LCB:                           0,
		VirtualLoss:                   1,
	}
}

// Validate names the first key that is out of range.
func (c Config) Validate() error {
	return limits.Check("search",
		limits.Int("simulations", c.Simulations, 1, 10_000_000),
		limits.Float("c_init", c.CInit, 0, 100),
		limits.Float("c_base", c.CBase, 1, 1e9),
		limits.Float("variance_scale", c.VarianceScale, 0, 1),
		limits.Float("first_play_reduction", c.FirstPlayReduction, 0, 2),
		limits.Float("root_first_play_reduction", c.RootFirstPlayReduction, 0, 2),
		limits.Float("noise_weight", c.NoiseWeight, 0, 1),
		limits.Float("noise_alpha", c.NoiseAlpha, 0, 100),
		limits.Int("forced_nodes", c.ForcedNodes, 0, 1_000_000),
		limits.OneOf("root", c.Root, rootPUCT, rootGumbel),
		limits.Int("gumbel_moves", c.GumbelMoves, 1, 10_000),
		limits.Float("gumbel_c_visit", c.GumbelCVisit, 0, 10_000),
		limits.Float("gumbel_c_scale", c.GumbelCScale, 0, 100),
		limits.Int("gumbel_simulations", c.GumbelSimulations, 0, 10_000_000),
		limits.Float("root_policy_temperature", c.RootPolicyTemperature, 0.1, 10),
		limits.Float("root_policy_temperature_final", c.RootPolicyTemperatureFinal, 0.1, 10),
		limits.Float("root_policy_temperature_half_life", c.RootPolicyTemperatureHalfLife, 0.1, 10_000),
		limits.Float("forced_playouts", c.ForcedPlayouts, 0, 100),
		limits.Int("root_symmetries", c.RootSymmetries, 1, 8),
		limits.Float("lcb", c.LCB, 0, 10),
		limits.Float("virtual_loss", c.VirtualLoss, 0, 10),
	)
}

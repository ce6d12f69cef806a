package rundir

// Score is the result of a match in the view of the model that is judged.
type Score struct {
	Score  float64 `json:"score"` // (wins + draws/2) / games, from 0 to 1
	Wins   int     `json:"wins"`
	Draws  int     `json:"draws"`
	Losses int     `json:"losses"`
	Games  int     `json:"games"`
}

// Grade compares a model's moves with perfect play in a number of positions.
type Grade struct {
	Positions int   `json:"positions"`
	Search    Marks `json:"search"` // of the moves that the search chooses
	Policy    Marks `json:"policy"` // of those of the bare network
}

// Marks are means over positions. Mistakes are the shares of moves that were not among the best, by stage of the game.
type Marks struct {
	Optimal      float64            `json:"optimal"`       // share of moves that are among the best
	KeepsValue   float64            `json:"keeps_value"`   // share after which a won position is won, a drawn one not lost
	ScoreLost    float64            `json:"score_lost"`    // how much worse than the best, in the solver's scores
	SignAccuracy float64            `json:"sign_accuracy"` // share in which the value tells a win, a draw or a loss
	Mistakes     map[string]float64 `json:"mistakes"`
}

// Rating is a model's strength in Elo, with its 95 % interval, above that of the fixed opponent.
type Rating struct {
	Elo  float64 `json:"elo"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

package rating

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// davidson is the model of Davidson (1970, "On extending the Bradley-Terry model to accommodate ties in paired
// comparison experiments"). Players of strengths pi_i and pi_j win, draw and lose against each other in the proportions
//
//	pi_i : nu sqrt(pi_i pi_j) : pi_j
//
// The parameter vector x, [players+1], holds theta_i = ln pi_i, of which only differences matter, and finally eta = ln
// nu. The log-likelihood is concave in x; Newton's method finds its maximum.
type davidson struct {
	players  int
	evidence []evidence
}

// evidence is the games between players i and j from i's point of view. Virtual games may be fractions.
type evidence struct {
	i, j                int
	wins, draws, losses float64
}

func (m *davidson) chances(x []float64, e evidence) (win, draw, loss float64) {
	half := (x[e.i] - x[e.j]) / 2
	win, draw, loss = math.Exp(half), m.nu(x), math.Exp(-half)
	sum := win + draw + loss
	return win / sum, draw / sum, loss / sum
}

func (m *davidson) nu(x []float64) float64 { return math.Exp(x[m.players]) }

// logLikelihood is NaN or -Inf on overflow.
func (m *davidson) logLikelihood(x []float64) float64 {
	sum := 0.0
	for _, e := range m.evidence {
		win, draw, loss := m.chances(x, e)
		sum += e.wins*math.Log(win) + e.losses*math.Log(loss)
		sum += e.draws * math.Log(draw)
	}
	return sum
}

// derivatives sets gradient, [players+1], to the gradient of logLikelihood and information to its negated second
// derivatives. In an exponential family these are the observed minus the expected statistics, and their covariance. The
// statistics of a game are (win - loss)/2 for theta_i, its negative for theta_j, and draw for eta.
func (m *davidson) derivatives(x []float64, gradient *mat.VecDense, information *mat.SymDense) {
	gradient.Zero()
	information.Zero()
	add := func(i, j int, v float64) { information.SetSym(i, j, information.At(i, j)+v) }
	eta := m.players
	for _, e := range m.evidence {
		win, draw, loss := m.chances(x, e)
		n := e.wins + e.draws + e.losses

		edge := (e.wins-e.losses)/2 - n*(win-loss)/2
		gradient.SetVec(e.i, gradient.AtVec(e.i)+edge)
		gradient.SetVec(e.j, gradient.AtVec(e.j)-edge)
		gradient.SetVec(eta, gradient.AtVec(eta)+e.draws-n*draw)

		variance := n * ((win + loss) - (win-loss)*(win-loss)) / 4
		covariance := -n * draw * (win - loss) / 2
		add(e.i, e.i, variance)
		add(e.j, e.j, variance)
		add(e.i, e.j, -variance)
		add(e.i, eta, covariance)
		add(e.j, eta, -covariance)
		add(eta, eta, n*draw*(1-draw))
	}
}

var errApart = errors.New("no chain of games connects the players")

// fit returns the maximum likelihood parameters, with a mean theta of 0, and their covariance matrix, in which each
// theta is relative to the mean. It returns errApart unless games connect the players.
func (m *davidson) fit() ([]float64, *mat.SymDense, error) {
	const steps, tolerance = 200, 1e-9
	size := m.players + 1
	x := make([]float64, size)
	gradient, step := mat.NewVecDense(size, nil), mat.NewVecDense(size, nil)
	information := mat.NewSymDense(size, nil)
	var cholesky mat.Cholesky
	for range steps {
		m.derivatives(x, gradient, information)
		m.pin(information)
		if !cholesky.Factorize(information) || cholesky.SolveVecTo(step, gradient) != nil {
			return nil, nil, errApart
		}
		// Half of this is the remaining gain by the quadratic approximation. Near the maximum, a full step reaches it.
		if decrement := mat.Dot(gradient, step); decrement < tolerance {
			floats.Add(x, step.RawVector().Data)
			covariance, err := m.covariance(&cholesky)
			return x, covariance, err
		}
		x = m.uphill(x, step.RawVector().Data)
	}
	return nil, nil, errApart
}

// uphill returns x plus the step. It limits the step to 1, because the information may vanish farther away, and halves
// it until the likelihood does not fall, except for rounding errors.
func (m *davidson) uphill(x, step []float64) []float64 {
	games := 0.0
	for _, e := range m.evidence {
		games += e.wins + e.draws + e.losses
	}
	floor := m.logLikelihood(x) - 1e-14*games
	next := make([]float64, len(x))
	for scale := 1 / max(1, floats.Norm(step, math.Inf(1))); scale > 1e-9; scale /= 2 {
		if floats.AddScaledTo(next, x, scale, step); m.logLikelihood(next) >= floor {
			break
		}
	}
	return next
}

// pin makes the information invertible. It fixes the mean theta, which does not affect the likelihood.
func (m *davidson) pin(information *mat.SymDense) {
	for i := range m.players {
		for j := i; j < m.players; j++ {
			information.SetSym(i, j, information.At(i, j)+1)
		}
	}
}

// covariance inverts the information. Absurd variances mean that the likelihood is flat, without a maximum.
func (m *davidson) covariance(information *mat.Cholesky) (*mat.SymDense, error) {
	const absurd = 1e7
	covariance := mat.NewSymDense(m.players+1, nil)
	if information.InverseTo(covariance) != nil {
		return nil, errApart
	}
	for i := range m.players + 1 {
		if covariance.At(i, i) > absurd {
			return nil, errApart
		}
	}
	return covariance, nil
}

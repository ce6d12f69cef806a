package rating

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// SPRT is a sequential probability ratio test (Wald 1945, "Sequential tests of statistical hypotheses") of two
// hypotheses about a player's strength. H0: the player is Elo0 stronger than its opponent. H1: it is Elo1 stronger.
//
// This is the generalized test on pairs of games in fishtest, Stockfish's testing framework (Van den Bergh,
// LLRcalc.py). The two games of an opening are dependent, but pairs are independent, unless openings repeat. So the
// test counts pairs by their points and constrains only the mean of the distribution over the five results.
type SPRT struct {
	Elo0, Elo1 float64 // Elo0 < Elo1, within ±1000
}

// Risk is the probability of accepting H1 under H0, and of accepting H0 under H1.
const Risk = 0.05

const maxElo = 1000

// ParseSPRT parses "ELO0,ELO1". "0,20" tests whether the player is equal or 20 Elo stronger.
func ParseSPRT(text string) (SPRT, error) {
	fail := func(err error) (SPRT, error) {
		return SPRT{}, fmt.Errorf("SPRT %q: %w: write ELO0,ELO1, such as 0,20", text, err)
	}
	first, second, ok := strings.Cut(text, ",")
	if !ok {
		return fail(errors.New("there is no comma"))
	}
	var s SPRT
	for _, part := range []struct {
		text string
		elo  *float64
	}{{first, &s.Elo0}, {second, &s.Elo1}} {
		var err error
		if *part.elo, err = strconv.ParseFloat(strings.TrimSpace(part.text), 64); err != nil {
			return fail(fmt.Errorf("%q is not a number", part.text))
		}
	}
	if err := s.Validate(); err != nil {
		return fail(err)
	}
	return s, nil
}

// Validate returns an error that names the first field out of range.
func (s SPRT) Validate() error {
	for _, elo := range []float64{s.Elo0, s.Elo1} {
		if !(math.Abs(elo) <= maxElo) {
			return fmt.Errorf("%v Elo are out of range: use %d to %d", elo, -maxElo, maxElo)
		}
	}
	if s.Elo0 >= s.Elo1 {
		return fmt.Errorf("the first Elo, %v, is not below the second, %v", s.Elo0, s.Elo1)
	}
	return nil
}

// Bounds returns Wald's bounds: LLR <= lower accepts H0, LLR >= upper accepts H1.
//
//	lower = ln(Risk / (1 - Risk))    upper = ln((1 - Risk) / Risk)
func (s SPRT) Bounds() (lower, upper float64) {
	risk := float64(Risk)
	return math.Log(risk / (1 - risk)), math.Log((1 - risk) / risk)
}

// Verdict is the state of a test.
type Verdict string

const (
	Undecided Verdict = "undecided"
	AcceptH0  Verdict = "H0"
	AcceptH1  Verdict = "H1"
)

// Verdict returns the verdict after the given pairs. The first deciding pair ends a test.
func (s SPRT) Verdict(p Pairs) Verdict {
	llr := s.LLR(p)
	lower, upper := s.Bounds()
	switch {
	case llr <= lower:
		return AcceptH0
	case llr >= upper:
		return AcceptH1
	}
	return Undecided
}

// Pairs counts pairs of games that share an opening with colours swapped, by the player's points: 0, ½, 1, 1½ and 2.
type Pairs [5]int

// Total returns the number of pairs.
func (p Pairs) Total() int { return p[0] + p[1] + p[2] + p[3] + p[4] }

// Add counts a pair of games with outcomes -1, 0 or +1.
func (p *Pairs) Add(first, second int8) { p[2+first+second]++ }

// LLR returns the generalized log-likelihood ratio of H1 to H0,
//
//	sum_i n_i ln(p1_i / p0_i)
//
// where n_i pairs won the share a_i = i/4 of their points, and p0 and p1 are the maximum likelihood distributions with
// the means of H0 and H1. As in fishtest, a result that did not occur counts as 0.001 pairs, to make any mean possible.
func (s SPRT) LLR(p Pairs) float64 {
	if p.Total() == 0 {
		return 0
	}
	var n [len(p)]float64
	for i, count := range p {
		n[i] = max(float64(count), 1e-3)
	}
	mean0, mean1 := expectedScore(s.Elo0), expectedScore(s.Elo1)
	x0, x1 := multiplier(n, mean0), multiplier(n, mean1)
	llr := 0.0
	for i := range n {
		a := share(i)
		llr += n[i] * math.Log((1+x0*(a-mean0))/(1+x1*(a-mean1)))
	}
	return llr
}

func share(i int) float64 { return float64(i) / 4 }

// multiplier returns the Lagrange multiplier x of the maximum likelihood distribution with mean s,
//
//	p_i = (n_i/N) / (1 + x (a_i - s)),    where sum_i n_i (a_i - s) / (1 + x (a_i - s)) = 0
//
// (Van den Bergh, "Maximum likelihood estimates for multinomial distributions with fixed expectation value",
// proposition 1.1). As x grows over the range of positive p_i, the sum falls from +Inf to -Inf.
func multiplier(n [5]float64, s float64) float64 {
	low, high := -1/(1-s), 1/s
	for {
		x := (low + high) / 2
		if x <= low || x >= high {
			return x
		}
		sum := 0.0
		for i := range n {
			a := share(i) - s
			sum += n[i] * a / (1 + x*a)
		}
		if sum > 0 {
			low = x
		} else {
			high = x
		}
	}
}

package rating

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// SPRT is a sequential probability ratio test (Wald 1945, "Sequential tests of statistical hypotheses"): it plays on
// until it is clear which of two claims about a player's strength holds. The claims, in Elo as the function of that name
// defines it, are H0: the player is Elo0 stronger than its opponent, and H1: it is Elo1 stronger.
//
// It is the generalized test of pairs of games that Van den Bergh introduced to fishtest, Stockfish's testing framework
// (file LLRcalc.py there). Two games of one opening depend on each other, pairs do not: so it counts pairs by the points
// won in them, and leaves open how the five results are distributed but for their mean. Where openings repeat between
// players that leave nothing to chance, pairs repeat as well, and errors are likelier than Alpha and Beta.
type SPRT struct {
	Elo0, Elo1 float64 // Elo0 < Elo1, within ±1000
	Alpha      float64 // probability of accepting H1 where H0 holds, in (0, 0.5)
	Beta       float64 // probability of accepting H0 where H1 holds, in (0, 0.5)
}

// maxElo is the largest difference that an SPRT tests for.
const maxElo = 1000

// ParseSPRT reads "ELO0,ELO1", such as "0,20": is the player equal, or 20 Elo stronger? Both errors have 5 %.
func ParseSPRT(text string) (SPRT, error) {
	fail := func(err error) (SPRT, error) {
		return SPRT{}, fmt.Errorf("SPRT %q: %w: write ELO0,ELO1, such as 0,20", text, err)
	}
	first, second, ok := strings.Cut(text, ",")
	if !ok {
		return fail(errors.New("there is no comma"))
	}
	s := SPRT{Alpha: 0.05, Beta: 0.05}
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

// Validate names the first field that is out of range.
func (s SPRT) Validate() error {
	for _, elo := range []float64{s.Elo0, s.Elo1} {
		if !(math.Abs(elo) <= maxElo) {
			return fmt.Errorf("%v Elo are out of range, allowed are %d to %d", elo, -maxElo, maxElo)
		}
	}
	for _, risk := range []float64{s.Alpha, s.Beta} {
		if !(risk > 0 && risk < 0.5) {
			return fmt.Errorf("the probability of error %v is out of range, it must lie between 0 and 0.5", risk)
		}
	}
	if s.Elo0 >= s.Elo1 {
		return fmt.Errorf("the first Elo, %v, is not below the second, %v", s.Elo0, s.Elo1)
	}
	return nil
}

// Bounds are Wald's: H0 is accepted where LLR is at or below lower, H1 where it is at or above upper.
//
//	lower = ln(beta / (1 - alpha))    upper = ln((1 - beta) / alpha)
func (s SPRT) Bounds() (lower, upper float64) {
	return math.Log(s.Beta / (1 - s.Alpha)), math.Log((1 - s.Beta) / s.Alpha)
}

// Verdict is the state of a test.
type Verdict string

// The verdicts.
const (
	Undecided Verdict = "undecided"
	AcceptH0  Verdict = "H0"
	AcceptH1  Verdict = "H1"
)

// Verdict is what the pairs say. A test ends with the first pair that decides it.
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

// Pairs counts pairs of games with the same opening and colours swapped by the points that the player won in them:
// 0, ½, 1, 1½ and 2.
type Pairs [5]int

// Total is the number of pairs.
func (p Pairs) Total() int { return p[0] + p[1] + p[2] + p[3] + p[4] }

// Add counts a pair of games with the given outcomes: -1, 0 or +1.
func (p *Pairs) Add(first, second int8) { p[2+first+second]++ }

// LLR is the generalized log-likelihood ratio of H1 to H0,
//
//	sum_i n_i ln(p1_i / p0_i)
//
// where n_i pairs brought the share a_i = i/4 of the points and ph is the likeliest distribution whose mean is that of Hh.
// As in fishtest, a result that did not occur counts as a thousandth of a pair, so that any mean is possible.
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

// share is the part of a pair's points in its result i.
func share(i int) float64 { return float64(i) / 4 }

// multiplier returns the Lagrange multiplier x of the likeliest distribution with the given mean s,
//
//	p_i = (n_i/N) / (1 + x (a_i - s)),    where sum_i n_i (a_i - s) / (1 + x (a_i - s)) = 0
//
// (Van den Bergh, "Maximum likelihood estimates for multinomial distributions with fixed expectation value", proposition
// 1.1). The sum falls as x grows, from +Inf to -Inf where all p_i are positive.
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

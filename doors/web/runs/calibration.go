package runs

import (
	"math"
	"net/http"

	"tengen/doors/web/answer"
	"tengen/game"
	"tengen/replay"
)

// CalibrationJSON compares the searches' values in the newest games with the games' results.
type CalibrationJSON struct {
	Games int       `json:"games"`
	Bins  []binJSON `json:"bins"`
}

// binJSON summarizes the positions with values in one part of [-1, 1]. Values and results are for the side to move.
type binJSON struct {
	Positions int     `json:"positions"`
	Predicted float64 `json:"predicted"` // mean value
	Actual    float64 `json:"actual"`    // mean result
}

const (
	calibrationGames = 500
	calibrationBins  = 10
)

func (s *Server) serveCalibration(w http.ResponseWriter, r *http.Request, _ answer.Query, run *Run) error {
	games, err := run.games(r.Context())
	if err != nil {
		return err
	}
	defer games.Close()
	oldest, end := games.Span()
	j, bins := CalibrationJSON{Bins: []binJSON{}}, [calibrationBins]binJSON{}
	err = run.read(r.Context(), games, max(oldest, end-min(end, calibrationGames)), func(e replay.Entry) error {
		if games.Check(e) == nil {
			j.Games++
			calibrate(&bins, e.Game)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, b := range bins {
		if n := float64(b.Positions); n > 0 {
			j.Bins = append(j.Bins, binJSON{b.Positions, b.Predicted / n, b.Actual / n})
		}
	}
	return answer.JSON(w, r, j)
}

// calibrate adds a game's positions to the sums in bins.
func calibrate(bins *[calibrationBins]binJSON, g *replay.Record) {
	for row, value := range g.Values {
		v := float64(value)
		b := &bins[min(int(math.Floor((v+1)/2*calibrationBins)), calibrationBins-1)]
		b.Positions++
		b.Predicted += v
		b.Actual += float64(int8(game.Mover(g.Opening+row)) * g.Outcome)
	}
}

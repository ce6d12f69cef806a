package run

import (
	"tengen/eval/grade"
	"tengen/train/checkpoint"
)

// examParts are the parts of a report on a network, with its search and without.
func examParts(report grade.ExamReport) (parts []checkpoint.ExamPart) {
	for _, p := range report.Parts() {
		parts = append(parts, checkpoint.ExamPart{Part: p.Name, Positions: p.Positions,
			Search: proportion(p.Right[0]), Policy: proportion(p.Right[len(p.Right)-1])})
	}
	return parts
}

func proportion(s grade.Share) checkpoint.Proportion {
	low, high := s.Interval()
	return checkpoint.Proportion{Share: s.Value(), Low: low, High: high}
}

// Mistakes are how often models of a run, in the order of their reports, miss the best move, for its chart: the search by stage of
// the game, and the bare network.
func Mistakes(models []checkpoint.PublishedModel, reports []grade.Report) []checkpoint.Measured {
	all := make([]checkpoint.Measured, len(models))
	for i, r := range reports {
		all[i].Iteration = models[i].Iteration
		add := func(series string, t grade.Totals) {
			if t.Positions() == 0 {
				return
			}
			low, high := t.Optimal.Interval()
			all[i].Points = append(all[i].Points, checkpoint.Between(series, 100*(1-t.Optimal.Value()), 100*(1-high), 100*(1-low)))
		}
		search := r.Players[0]
		add("search, beginning", search.Beginning)
		add("search, middle", search.Middle)
		add("search, end", search.End)
		if len(r.Players) > 1 {
			add("bare network, all", r.Players[1].All)
		}
	}
	return all
}

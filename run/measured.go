package run

import (
	"tengen/eval/grade"
	"tengen/train/checkpoint"
)

func examParts(report grade.Report) (parts []checkpoint.ExamPart) {
	search, policy := report.Players[0], report.Players[len(report.Players)-1]
	for _, name := range report.Answered() {
		t := search.Parts[name]
		parts = append(parts, checkpoint.ExamPart{Part: name, Positions: t.Positions(),
			Search: proportion(t.Kept), Policy: proportion(policy.Parts[name].Kept)})
	}
	return parts
}

func proportion(s grade.Share) checkpoint.Proportion {
	low, high := s.Interval()
	return checkpoint.Proportion{Share: s.Value(), Low: low, High: high}
}

// Mistakes returns how often models miss the best move, for a run's chart: with search by stage of the game, and by bare
// policy overall. reports[i] is about models[i].
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
		for _, stage := range []string{"beginning", "middle", "end"} {
			add("search, "+stage, r.Players[0].Parts[stage])
		}
		if len(r.Players) > 1 {
			add("bare network, all", r.Players[1].Parts["all"])
		}
	}
	return all
}

package runs

import (
	"context"
	"maps"
	"strings"

	"tengen/train/checkpoint"
)

// Report returns the names of all runs, and the answers about them, by path below /api/, that a page without a server
// needs. It leaves out the section "cluster" of their settings. A run that cannot be read is an error.
func (s *Server) Report(ctx context.Context) (names []string, answers map[string]any, err error) {
	answers, list := map[string]any{}, []RunJSON{}
	for _, r := range s.Now() {
		if _, err := r.config(ctx); err != nil {
			return nil, nil, err
		}
		if _, err := checkpoint.LoadMetrics(r.Dir); err != nil {
			return nil, nil, err
		}
		details := r.details(ctx)
		for _, settings := range []map[string]any{details.Config, details.Defaults} {
			maps.DeleteFunc(settings, func(key string, _ any) bool { return strings.HasPrefix(key, "cluster.") })
		}
		details.Metrics = nil // the page reads the lines instead
		answers["runs/"+r.Name] = details
		names, list = append(names, r.Name), append(list, details.RunJSON)
	}
	answers["runs"] = runListJSON{Runs: list, Charts: checkpoint.Charts}
	return names, answers, nil
}

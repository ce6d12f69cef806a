package run

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"tengen/engine"
	"tengen/internal/printable"
	"tengen/train/checkpoint"
)

// mutableKeys are keys and sections that may change when a run continues: length, speed and measurements.
var mutableKeys = []string{
	"train.iterations", "train.evaluate_every", "train.keep",
	"selfplay.workers", "selfplay.games_per_worker", "selfplay.cache_megabytes", "eval", "compute", "cluster", "replay.keep_games",
}

// mutable reports whether a key may change when the run continues.
func mutable(key string) bool {
	return slices.ContainsFunc(mutableKeys, func(k string) bool { return key == k || strings.HasPrefix(key, k+".") })
}

// immutableSettings returns the settings that must not change within the run, by key.
func (c Config) immutableSettings() map[string]string {
	settings := map[string]string{}
	for _, s := range c.Settings() {
		if !mutable(s.Key) {
			settings[s.Key] = s.Value
		}
	}
	return settings
}

// checkResume returns the settings that c.Config changes in the saved ones, or an error if it cannot continue the run.
// newest is the run's newest checkpoint, nil before the first.
func (c TrainConfig) checkResume(saved []byte, newest *checkpoint.Checkpoint) (changed []string, err error) {
	file := filepath.Join(c.Dir, checkpoint.ConfigFile)
	given, err := ParseValues(saved)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	old := DefaultConfig().With(given)
	if e, err := engine.Open(old.Game); err == nil {
		old.Game = e.Info().Name // its full name, as in c.Config
	}
	if newest != nil {
		for _, s := range old.Settings() { // by these the run would play or learn otherwise than so far
			if trained, recorded := newest.Settings[s.Key]; recorded && trained != s.Value {
				return nil, fmt.Errorf("%s is %s in %s, but the run has trained with %s up to iteration %d: write %[4]s there to continue the run, "+
					"or start a new one with another --run", s.Key, s.Value, file, trained, newest.Iteration)
			}
		}
		for _, s := range c.Config.Settings() {
			if given[s.Key] == nil && mutable(s.Key) { // somebody has shortened the file, which tengen wrote with every key
				c.Warn(fmt.Errorf("%s lacks %s: the run continues with %s", file, s.Key, s.Value))
			}
		}
	}
	before := old.Settings()
	for i, now := range c.Config.Settings() {
		switch {
		case now == before[i]:
		case !mutable(now.Key):
			return nil, fmt.Errorf("%s is %s here, but %s in the run in %s, which cannot change it: "+
				"`tengen train --run %[5]s` continues the run with %[3]s, another --run starts a new one",
				now.Key, now.Value, before[i].Value, c.Dir, printable.Word(c.Dir))
		default:
			changed = append(changed, fmt.Sprintf("%s %s instead of %s", now.Key, now.Value, before[i].Value))
		}
	}
	return changed, nil
}

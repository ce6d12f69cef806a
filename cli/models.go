package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tengen/engine"
	"tengen/players"
	"tengen/run"
)

// players is like open, and identifies the players' models.
func (f *configFlags) players(game string, specs ...players.Spec) (engine.Game, engine.PlayerOptions, error) {
	e, options, err := f.open(game, specs...)
	if err == nil {
		err = f.identify(&options, specs...)
	}
	for _, path := range slices.Sorted(maps.Keys(f.models)) {
		if warning := engine.KomiWarning(e, f.models[path].Game); warning != "" && err == nil {
			fmt.Fprintf(f.cmd.ErrOrStderr(), "net:%s: %s\n", path, warning)
		}
	}
	return e, options, err
}

// identify opens the players' models for the options, and prints which they are.
func (f *configFlags) identify(options *engine.PlayerOptions, specs ...players.Spec) (err error) {
	options.Models, f.models, err = run.IdentifyPlayers(specs...)
	for _, path := range slices.Sorted(maps.Keys(f.models)) {
		fmt.Fprintln(f.cmd.ErrOrStderr(), f.models[path])
	}
	return err
}

// settings returns what SPECs do not say of their players: the given search constants, and the SHA-256 of the models.
func (f *configFlags) settings() (string, error) {
	given, err := f.given("")
	var list []string
	for key, value := range given {
		if strings.HasPrefix(key, "search.") {
			list = append(list, fmt.Sprintf("%s=%v", key, value))
		}
	}
	for path, id := range f.models {
		list = append(list, fmt.Sprintf("%s=%s", path, id.SHA256))
	}
	slices.Sort(list)
	return strings.Join(list, " "), err
}

// open returns the game's engine and the options of its players. The game comes from --game, a player's model or the
// given configuration, in this order. The options keep the models' search constants, except for the given keys.
func (f *configFlags) open(game string, specs ...players.Spec) (engine.Game, engine.PlayerOptions, error) {
	cfg, given, err := f.load("")
	if err != nil {
		return nil, engine.PlayerOptions{}, err
	}
	e, err := engine.OpenFor(game, specs...)
	if errors.As(err, new(engine.InputError)) && game == "" && (f.file != "" || given["game"] != nil) {
		e, err = engine.Open(cfg.Game)
	}
	if err != nil {
		return nil, engine.PlayerOptions{}, err
	}
	device, err := cfg.Compute.Open(newNotices(f.cmd).warn)
	return e, engine.PlayerOptions{Search: run.SearchWith(given), Device: device}, err
}

// identified adds the models of a player and its opponent, if they are networks, to the JSON object of a report.
func (f *configFlags) identified(report any, player, against players.Spec) json.Marshaler {
	r := identified{report: report}
	if id, ok := f.models[player.Path]; ok {
		r.Model = &id
	}
	if id, ok := f.models[against.Path]; ok {
		r.Against = &id
	}
	return r
}

type identified struct {
	report  any
	Model   *run.ModelID `json:"model,omitempty"`
	Against *run.ModelID `json:"against_model,omitempty"`
}

// MarshalJSON appends the models to the object.
func (r identified) MarshalJSON() ([]byte, error) {
	type models identified
	more, err := json.Marshal(models(r))
	if err != nil {
		return nil, err
	}
	report, err := json.Marshal(r.report)
	if err != nil || string(more) == "{}" {
		return report, err
	}
	return slices.Concat(report[:len(report)-1], []byte(","), more[1:]), nil
}

package run

import (
	"crypto/sha256"
	"fmt"
	"strconv"

	"tengen/engine"
	"tengen/internal/printable"
	"tengen/net"
	"tengen/players"
)

// ModelID says which model a name stands for. A run directory's name stands for its newest model, so it changes.
type ModelID struct {
	Name      string `json:"name"`           // as in a SPEC
	File      string `json:"file,omitempty"` // "" for a pretrained model
	Game      string `json:"game"`
	Iteration int    `json:"iteration"`
	Games     int    `json:"games"`  // of self-play
	SHA256    string `json:"sha256"` // of the file
}

// String describes the model in one line.
func (m ModelID) String() string {
	from := ""
	if m.File == "" {
		from = " that comes with tengen"
	}
	return fmt.Sprintf("net:%s is model %d%s: %s, sha256 %.8s", m.Name, m.Iteration, from, printable.Plural(m.Games, "game"), m.SHA256)
}

// IdentifyModel reads a model as engine.OpenModel does and identifies it.
func IdentifyModel(name string) (*net.Model, ModelID, error) {
	m, file, content, err := engine.ReadModel(name)
	if m == nil {
		return nil, ModelID{}, err
	}
	games, _ := strconv.Atoi(m.Figures["games"]) // absent from a run's first model
	return m, ModelID{name, file, m.Game, m.Iteration, games, fmt.Sprintf("%x", sha256.Sum256(content))}, err
}

// IdentifyPlayers returns the players' models and their identities, both by Spec.Path.
func IdentifyPlayers(specs ...players.Spec) (models map[string]*net.Model, ids map[string]ModelID, err error) {
	models, ids = map[string]*net.Model{}, map[string]ModelID{}
	for _, s := range specs {
		if s.Kind != players.KindNet || models[s.Path] != nil {
			continue
		}
		if models[s.Path], ids[s.Path], err = IdentifyModel(s.Path); err != nil {
			return nil, nil, fmt.Errorf("player %q: %w", s, err)
		}
	}
	return models, ids, nil
}

package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"tengen/cluster/natslog"
	"tengen/internal/limits"
	"tengen/mcts"
	"tengen/net"
	"tengen/selfplay"
)

// Settings are what a worker has to know to play games of a run. They stand in the run's bucket.
type Settings struct {
	Protocol  int    `json:"protocol"`  // protocol
	Semantics int    `json:"semantics"` // selfplay.Semantics
	Version   string `json:"version"`   // of the program, for people
	Run       string `json:"run"`       // names the run among all runs of the world
	Digest    string `json:"digest"`    // digest of all, as the program that trains knows them

	Game     string          `json:"game"` // full name
	Seed     uint64          `json:"seed"`
	Shape    net.Shape       `json:"shape"` // of the network's input and output
	Search   mcts.Config     `json:"search"`
	Selfplay selfplay.Config `json:"selfplay"`
}

// protocol changes when a worker and a coordinator could misunderstand each other.
const protocol = 7

// order is what the workers of a run are asked for. It stands in the run's bucket. It has no field "run", by whose absence
// workers of protocol 5 and before end.
type order struct {
	Protocol int           `json:"protocol"` // of the program that trains now
	Settings string        `json:"settings"` // digest of the settings now
	Model    natslog.Model `json:"model"`    // that is to play
	// Oldest is the iteration of the oldest model whose games are taken.
	Oldest uint64 `json:"oldest"`
}

// takes reports whether games of a model are taken.
func (o *order) takes(m natslog.Model) bool {
	return m.Iteration >= o.Oldest && m.Iteration <= o.Model.Iteration
}

// Keys of the run's bucket, besides those of package natslog.
const (
	settingsKey = "settings"
	orderKey    = "order"
	skippedKey  = "skipped" // of runs of an earlier version: the sequence numbers that were skipped
)

// ErrNoRun is wrapped by the error of NewWorker where the run has not begun, or is not there for this worker.
var ErrNoRun = errors.New("the server has no such run, or none for this worker: start it, with the same name")

// readSettings reads the settings of a run that a worker of this program can play by. Whether it can is found out before the
// rest is read, which may be of another form.
func readSettings(ctx context.Context, bucket *natslog.Bucket) (s Settings, err error) {
	var head struct {
		Protocol  int    `json:"protocol"`
		Semantics int    `json:"semantics"`
		Version   string `json:"version"`
	}
	err = bucket.Get(ctx, settingsKey, &head)
	if errors.Is(err, natslog.ErrNoEntry) {
		return s, ErrNoRun
	}
	if err == nil {
		err = Settings{Protocol: head.Protocol, Semantics: head.Semantics, Version: head.Version}.check()
	}
	if err == nil {
		err = bucket.Get(ctx, settingsKey, &s)
	}
	if err == nil && s.Digest != s.digest() {
		err = fmt.Errorf("the run has settings that this program does not know: use the program that trains, tengen %q", s.Version)
	}
	return s, err
}

// check refuses settings that a worker of this program cannot play by.
func (s Settings) check() error {
	switch {
	case s.Protocol != protocol:
		return fmt.Errorf("the run speaks protocol %d, this program %d: %s", s.Protocol, protocol, s.wayOut(s.Protocol > protocol))
	case s.Semantics != selfplay.Semantics:
		return fmt.Errorf("the run's games are of kind %d, this program plays kind %d: %s",
			s.Semantics, selfplay.Semantics, s.wayOut(s.Semantics > selfplay.Semantics))
	}
	return nil
}

func (s Settings) wayOut(newer bool) string {
	if newer {
		return fmt.Sprintf("update this program; the run is trained by tengen %q", s.Version)
	}
	return fmt.Sprintf("use the program that trains, tengen %q, or update it there", s.Version)
}

// Most of what a run elsewhere may ask of a worker, whatever the run itself may want: who trains it is somebody else.
const (
	mostCache       = 16 << 10   // MiB
	mostSimulations = 1_000_000  // of a search
	mostTrees       = 10_000_000 // simulations in the trees of all games of one goroutine
)

// CheckBounds refuses settings that would take more memory or time than a worker should give to others.
func (s Settings) CheckBounds() error {
	simulations := max(s.Search.Simulations, 1) // no search has more
	err := limits.Check("",
		limits.Int("selfplay.cache_megabytes", s.Selfplay.CacheMegabytes, 0, mostCache),
		limits.Int("search.simulations", simulations, 1, mostSimulations),
		limits.Int("search.forced_nodes", s.Search.ForcedNodes, 0, mostSimulations),
		limits.Int("selfplay.games_per_worker", s.Selfplay.GamesPerWorker, 1, max(1, mostTrees/simulations)),
	)
	if err != nil {
		return fmt.Errorf("the run asks for more than a worker gives: %w", err)
	}
	return nil
}

// agrees refuses to take over the place of another run, and one that a later version of the program has gone on with: its workers may
// have sent what is not to be read here. A version of a game's record or message that is new has a new protocol, too.
func (s Settings) agrees(old Settings) error {
	if old.Protocol > protocol {
		return fmt.Errorf("a program that speaks protocol %d has gone on with the run, this one speaks %d: go on with that program, or update this one",
			old.Protocol, protocol)
	}
	if s.Run != old.Run || s.Game != old.Game || s.Seed != old.Seed {
		return fmt.Errorf("the server holds another run under this name already (%s, seed %d): choose another name, cluster.run", old.Game, old.Seed)
	}
	return nil
}

// digest is one of all that games follow from. Fields that are zero do not count: so a program that does not know a setting agrees
// with one that does where it is off, and only there.
func (s Settings) digest() string {
	s.Version, s.Digest = "", ""
	s.Selfplay.Workers, s.Selfplay.GamesPerWorker, s.Selfplay.CacheMegabytes = 0, 0, 0 // change the speed alone
	var fields map[string]any
	text, err := json.Marshal(s)
	if err == nil {
		err = json.Unmarshal(text, &fields)
	}
	if err == nil {
		fields["seed"] = fmt.Sprint(s.Seed) // a float64 does not hold all of it
		text, err = json.Marshal(withoutZeros(fields))
	}
	if err != nil {
		panic(err) // numbers and texts are JSON
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

// withoutZeros removes what is 0, false, "" or empty.
func withoutZeros(fields map[string]any) map[string]any {
	for key, value := range fields {
		switch v := value.(type) {
		case map[string]any:
			if len(withoutZeros(v)) == 0 {
				delete(fields, key)
			}
		case float64:
			if v == 0 {
				delete(fields, key)
			}
		case string:
			if v == "" {
				delete(fields, key)
			}
		case bool:
			if !v {
				delete(fields, key)
			}
		}
	}
	return fields
}

package cluster

import (
	"context"
	"errors"
	"fmt"

	"tengen/cluster/natslog"
	"tengen/mcts"
	"tengen/net"
	"tengen/selfplay"
)

// Settings are what a worker has to know to play games of a run. They stand in the run's bucket.
type Settings struct {
	Protocol int    `json:"protocol"` // protocol
	Version  string `json:"version"`  // of the program: another one may play other games
	Run      string `json:"run"`      // names the run among all runs of the world

	Game     string          `json:"game"` // full name
	Seed     uint64          `json:"seed"`
	Shape    net.Shape       `json:"shape"` // of the network's input and output
	Search   mcts.Config     `json:"search"`
	Selfplay selfplay.Config `json:"selfplay"`
}

// protocol changes when a worker and a coordinator could misunderstand each other.
const protocol = 4

// order is what the workers of a run are asked for. It stands in the run's bucket.
type order struct {
	Run   string        `json:"run"`   // as in the settings
	Model natslog.Model `json:"model"` // that is to play
	Limit uint64        `json:"limit"` // games with sequence numbers above this are not wanted yet
}

// Keys of the run's bucket, besides those of package natslog.
const (
	settingsKey = "settings"
	orderKey    = "order"
	skippedKey  = "skipped"
)

// ErrNoRun is wrapped by the error of NewWorker where the run has not begun.
var ErrNoRun = errors.New("the server has no such run: start it, with the same name")

// readSettings reads the settings of a run that a worker of this program and version can play by. Whether it can is found out
// before the rest is read, which may be of another form.
func readSettings(ctx context.Context, bucket *natslog.Bucket, version string) (s Settings, err error) {
	var head struct {
		Protocol int    `json:"protocol"`
		Version  string `json:"version"`
	}
	err = bucket.Get(ctx, settingsKey, &head)
	if errors.Is(err, natslog.ErrNoEntry) {
		return s, ErrNoRun
	}
	if err == nil {
		err = Settings{Protocol: head.Protocol, Version: head.Version}.check(version)
	}
	if err == nil {
		err = bucket.Get(ctx, settingsKey, &s)
	}
	return s, err
}

// check refuses settings that a worker of this program and version cannot play by.
func (s Settings) check(version string) error {
	switch {
	case s.Protocol != protocol:
		return fmt.Errorf("the run speaks protocol %d, this program %d: use the program that trains", s.Protocol, protocol)
	case s.Version != version:
		return fmt.Errorf("the run is trained by tengen %s, this is tengen %s: use the same version", s.Version, version)
	}
	return nil
}

// agrees refuses to take over the place of another run.
func (s Settings) agrees(old Settings) error {
	if s.Run != old.Run || s.Game != old.Game || s.Seed != old.Seed {
		return fmt.Errorf("the server holds another run under this name already (%s, seed %d): choose another name, cluster.run", old.Game, old.Seed)
	}
	return nil
}

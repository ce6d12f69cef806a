package cluster

import (
	"errors"
	"fmt"

	"tengen/cluster/natslog"
	"tengen/internal/limits"
)

// Config says where a run keeps its games, and who plays them. Without Listen and Server it plays them itself.
type Config struct {
	// Listen is the address, "host:port", at which the run's own server takes workers; port 0 is any free one.
	Listen string `yaml:"listen"`
	// Server is the URL of a server elsewhere to use instead of an own one; several, with commas, for a cluster.
	Server string `yaml:"server"`
	// TokenFile holds what workers have to know; for a server elsewhere what this process has to know, a user name and a colon
	// before it if there are users. Empty: the file "token" of the run directory, made if need be, for the run's own server;
	// none for one elsewhere.
	TokenFile string `yaml:"token_file"`
	// CertFile and KeyFile, PEM, switch on TLS for the run's own server.
	CertFile string `yaml:"cert_file"`
	KeyFile  string `yaml:"key_file"`
	// Credentials is a NATS .creds file, CA the authority of the certificate, for a server elsewhere.
	Credentials string `yaml:"credentials"`
	CA          string `yaml:"ca"`

	// Run is the name of the run on a server elsewhere.
	Run string `yaml:"run"`
	// Replicas is the number of servers that keep each game.
	Replicas int `yaml:"replicas"`
	// MaxMemoryMegabytes and MaxDiskMegabytes bound what the run's own server takes.
	MaxMemoryMegabytes int `yaml:"max_memory_megabytes"`
	MaxDiskMegabytes   int `yaml:"max_disk_megabytes"`

	// Local lets this process play as well when there are workers.
	Local bool `yaml:"local"`
	// MaxModelAge is by how many iterations the model of a worker's game may be older than the newest.
	MaxModelAge int `yaml:"max_model_age"`
	// MaxBacklog is how many iterations' worth of games may wait while the run learns.
	MaxBacklog int `yaml:"max_backlog"`
	// Verify is the share of the games of workers elsewhere that this process plays again, to see whether they are what they
	// must be.
	Verify float64 `yaml:"verify"`
}

// Default is a run by itself.
func Default() Config {
	return Config{
		Run:                "run",
		Replicas:           1,
		MaxMemoryMegabytes: 256,
		MaxDiskMegabytes:   1 << 20,
		Local:              true,
		MaxModelAge:        2,
		MaxBacklog:         1,
		Verify:             0.01,
	}
}

// Distributed reports whether workers may play for the run.
func (c Config) Distributed() bool { return c.Listen != "" || c.Server != "" }

// Validate names the first key that is out of range.
func (c Config) Validate() error {
	err := limits.Check("cluster",
		limits.Int("replicas", c.Replicas, 1, 5),
		limits.Int("max_memory_megabytes", c.MaxMemoryMegabytes, 1, 1<<24),
		limits.Int("max_disk_megabytes", c.MaxDiskMegabytes, 1, 1<<30),
		limits.Int("max_model_age", c.MaxModelAge, 0, 1_000_000),
		limits.Int("max_backlog", c.MaxBacklog, 0, 1000),
		limits.Float("verify", c.Verify, 0, 1),
	)
	switch {
	case err != nil:
		return err
	case c.Listen != "" && c.Server != "":
		return errors.New("cluster.listen and cluster.server exclude each other: a run has its own server or uses another")
	case (c.CertFile == "") != (c.KeyFile == ""):
		return errors.New("of cluster.cert_file and cluster.key_file one is missing")
	case c.TokenFile != "" && c.Credentials != "":
		return errors.New("of cluster.token_file and cluster.credentials only one can be used")
	case natslog.CheckRun(c.Run) != nil:
		return fmt.Errorf("cluster.run is %q, allowed are letters, digits, - and _, at most 100", c.Run)
	case c.Server == "" && c.Replicas > 1:
		return fmt.Errorf("cluster.replicas is %d, the run's own server keeps only 1: name a cluster in cluster.server", c.Replicas)
	}
	return nil
}

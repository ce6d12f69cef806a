package cluster

import (
	"errors"
	"fmt"

	"tengen/internal/limits"
)

// Config says who plays the games of a run. Without Listen and Server the process that trains plays them itself.
type Config struct {
	// Listen is the address, "host:port", at which the run's own server takes workers; port 0 is any free one.
	Listen string `yaml:"listen"`
	// CertFile and KeyFile, PEM, switch on TLS for the run's own server.
	CertFile string `yaml:"cert_file"`
	KeyFile  string `yaml:"key_file"`

	// Server is the URL of a server elsewhere to use instead of an own one; several, with commas, for a cluster.
	Server string `yaml:"server"`
	// Run is the name of the run on a server elsewhere.
	Run string `yaml:"run"`
	// TokenFile proves to a server elsewhere who this process is: a NATS .creds file, or a user name, a colon and a password.
	TokenFile string `yaml:"token_file"`
	// CA is the authority of the certificate of a server elsewhere.
	CA string `yaml:"ca"`

	// Local lets this process play as well when there are workers.
	Local bool `yaml:"local"`
	// Verify is the share of the games of workers that this process plays again, to see whether they are what they must be.
	Verify float64 `yaml:"verify"`
	// Mixed takes workers whose processors round otherwise than this one. The run cannot be repeated then.
	Mixed bool `yaml:"mixed"`
}

// Default is a run by itself.
func Default() Config { return Config{Run: EmbeddedRun, Local: true, Verify: 0.01} }

// Distributed reports whether workers may play for the run.
func (c Config) Distributed() bool { return c.Listen != "" || c.Server != "" }

// Validate names the first key that is out of range.
func (c Config) Validate() error {
	switch err := limits.Check("cluster", limits.Float("verify", c.Verify, 0, 1)); {
	case err != nil:
		return err
	case c.Listen != "" && c.Server != "":
		return errors.New("cluster.listen and cluster.server exclude each other: a run has its own server or uses another")
	case (c.CertFile == "") != (c.KeyFile == ""):
		return errors.New("of cluster.cert_file and cluster.key_file one is missing")
	}
	if err := CheckRun(c.Run); err != nil {
		return fmt.Errorf("cluster.run: %w", err)
	}
	return nil
}

package cluster

import (
	"errors"
	"fmt"
	"net"
	"strconv"

	"tengen/internal/limits"
)

// Config determines where a run's games are played. The comments also appear in config.yaml, so they refer to fields by
// their keys.
type Config struct {
	// Address, host:port, at which workers join: `tengen worker` on other machines. Port 0 takes a free port. "": no
	// workers.
	Listen string `json:"listen"`
	// Certificate and key, PEM files, for TLS at the run's own server. "": games and models travel unencrypted.
	CertFile string `json:"cert_file"`
	KeyFile  string `json:"key_file"`

	// URL of a NATS server with JetStream, such as nats://host:4222, to use instead of the run's own; several,
	// separated by commas, for a NATS cluster.
	Server string `json:"server"`
	// For such a server: the run's name there (letters, digits, - and _), the file that authenticates this process (a
	// NATS .creds file, or a user name, a colon and a password), and the PEM file of the authority that signed the
	// server's certificate.
	Run       string `json:"run" default:"run"`
	TokenFile string `json:"token_file"`
	CA        string `json:"ca"`

	// Whether this process also plays when there are workers. With false and no worker, training waits.
	Local bool `json:"local" default:"true"`
	// Share of the workers' games that this process plays again. A worker whose game differs loses its token, and its
	// games are played again. 0: no check.
	Verify float64 `json:"verify" default:"0.01" range:"[0,1]"`
}

// Distributed reports whether workers may play for the run.
func (c Config) Distributed() bool { return c.Listen != "" || c.Server != "" }

// Validate returns an error that names the first key out of range or conflicting keys.
func (c Config) Validate() error {
	switch err := limits.Check("cluster", c); {
	case err != nil:
		return err
	case c.Listen != "" && c.Server != "":
		return errors.New("cluster.listen and cluster.server exclude each other: a run has its own server or uses another")
	case c.Listen != "" && (c.TokenFile != "" || c.CA != ""):
		return errors.New("cluster.token_file and cluster.ca belong to cluster.server: a run makes the tokens for its own server, cluster.listen")
	case (c.CertFile == "") != (c.KeyFile == ""):
		return errors.New("one of cluster.cert_file and cluster.key_file is missing: TLS needs both")
	}
	if c.Listen != "" {
		if _, _, err := splitListen(c.Listen); err != nil {
			return fmt.Errorf("cluster.listen: %w", err)
		}
	}
	if !runName.MatchString(c.Run) {
		return fmt.Errorf("cluster.run: run name %q: only letters, digits, - and _ are allowed, at most 100", c.Run)
	}
	return nil
}

// splitListen splits an address, host:port. Port 0 is any.
func splitListen(address string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return "", 0, err
	}
	if port, err = strconv.Atoi(text); err != nil || port < 0 || port > 65535 {
		return "", 0, fmt.Errorf("port %q: must be 0 to 65535", text)
	}
	return host, port, nil
}

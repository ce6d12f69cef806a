package run

import (
	"bytes"
	"os"
	"testing"
)

// config.yaml, here for the program and at the top for people, has the defaults.
func TestConfigFile(t *testing.T) {
	top, err := os.ReadFile("../config.yaml")
	noError(t, err)
	if !bytes.Equal(top, DefaultFile()) {
		t.Error("config.yaml at the top is not the one in package run: go generate ./run")
	}
	if cfg, err := ParseConfig(top); err != nil || !bytes.Equal(cfg.YAML(), DefaultConfig().YAML()) {
		t.Errorf("config.yaml is read as\n%s(%v), want the defaults", cfg.YAML(), err)
	}
}

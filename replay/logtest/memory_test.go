package logtest

import (
	"testing"

	"tengen/replay"
)

func TestMemoryLog(t *testing.T) {
	Run(t, func(*testing.T) replay.Log { return NewMemoryLog() })
}

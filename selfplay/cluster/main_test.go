package cluster

import (
	"testing"

	"go.uber.org/goleak"

	"tengen/selfplay/cluster/clustertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, clustertest.Leaks...) }

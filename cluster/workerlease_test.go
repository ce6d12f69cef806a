package cluster

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"tengen/cluster/natslog"
)

// A worker asks no sooner than it was told to, whatever model the answers name: none where the process that trains has not asked for games
// yet, as while it reads the log, or one that no order says anything of.
func TestWorkerAsksInItsTime(t *testing.T) {
	t.Parallel()
	for _, model := range []string{"", "another"} {
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			conn := connect(t, startServer(t, natslog.ServerConfig{}))
			c := startCoordinator(t, conn, CoordinatorConfig{})
			c.publishOrder(t, 0)
			c.Close()
			answer, err := json.Marshal(lease{Again: int(renewal.Milliseconds()), Model: model})
			if err != nil {
				t.Fatal(err)
			}
			const many = 10
			asked, tooOften := 0, make(chan struct{})
			sub, err := conn.Subscribe(natslog.LeaseSubjects("run"), func(m *nats.Msg) {
				if asked++; asked == many {
					close(tooOften)
				}
				m.Respond(answer)
			})
			if err != nil {
				t.Fatal(err)
			}
			defer sub.Unsubscribe()
			startWorker(t, conn, workerConfig(t.TempDir()))
			select {
			case <-tooOften:
				t.Errorf("%d demands in less than a second", many)
			case <-time.After(time.Second):
			}
		})
	}
}

package replay_test

import (
	"context"
	"fmt"
	"testing"

	"tengen/replay"
	"tengen/replay/logtest"
)

func TestMemoryLog(t *testing.T) {
	logtest.Run(t, func(*testing.T) replay.Log { return replay.NewMemoryLog() })
}

// A restart reads the games that it needs.
func ExampleLog() {
	ctx := context.Background()
	log := replay.NewMemoryLog()
	defer log.Close()
	log.Append(ctx, "worker", logtest.Game(0, 25))
	log.Append(ctx, "worker", logtest.Game(1, 30))

	err := log.Read(ctx, 0, func(e replay.Entry) error {
		fmt.Println(e.Sequence, e.Game.Positions(), e.Err)
		return nil
	})
	fmt.Println(err)
	// Output:
	// 1 25 <nil>
	// 2 30 <nil>
	// <nil>
}

package replay_test

import (
	"context"
	"fmt"

	"tengen/replay"
	"tengen/replay/logtest"
)

// A restart reads the games that it needs.
func ExampleLog() {
	ctx := context.Background()
	log := logtest.NewMemoryLog()
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

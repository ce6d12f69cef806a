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
	log.Put(ctx, "worker", logtest.Game(0, 25), logtest.Game(1, 30))

	err := log.Read(ctx, 0, 10, func(e replay.Entry) error {
		fmt.Println(e.Number, e.Game.Positions(), e.Err)
		return nil
	})
	fmt.Println(err)
	// Output:
	// 0 25 <nil>
	// 1 30 <nil>
	// <nil>
}

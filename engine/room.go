package engine

import (
	"errors"
	"fmt"

	"tengen/cluster/natslog"
	"tengen/internal/diskspace"
)

// room returns what says whether workers may play on: while there is room for their games, and for what a run cannot end an iteration
// without: its checkpoint, its model and the server's own entries. So what is running out stops games before it stops the run.
// server is nil for one elsewhere.
func room(dir string, parameters int, server *natslog.Server) func() error {
	reserve := uint64(32<<20 + 8*4*parameters) // a checkpoint is up to five times the weights, and the model is there, too
	return func() error {
		if server != nil {
			if used, limit := server.Stored(); used > limit/10*9 {
				return fmt.Errorf("the run's server holds %d of the %d MB that it may, and the rest is for what the run cannot do without: "+
					"no games until there is room; raise cluster.max_disk_megabytes", used>>20, limit>>20)
			}
		}
		free, err := diskspace.Free(dir)
		if errors.Is(err, diskspace.ErrUnknown) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("cannot tell how much room there is: %w", err)
		}
		if free < reserve {
			return fmt.Errorf("only %d MB are free on the disk of %s, and %d MB are for checkpoints and models: no games until there is room; make some",
				free>>20, dir, reserve>>20)
		}
		return nil
	}
}

// Package diskspace tells how much room there is on a disk.
package diskspace

import "errors"

// ErrUnknown is the error of Free on systems where it cannot tell.
var ErrUnknown = errors.New("the free space of a disk is not known on this system")

//go:build !unix

package train

import "time"

// cpuTime returns 0: this system does not report processor time.
func cpuTime() time.Duration { return 0 }

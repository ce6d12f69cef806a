//go:build !unix

package train

import "time"

// cpuTime is 0: this system does not tell how much processor time a process has used.
func cpuTime() time.Duration { return 0 }

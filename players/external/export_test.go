package external

import "time"

// SetStartTime changes how long the program may take to begin.
func (c *Command) SetStartTime(d time.Duration) { c.startTime = d }

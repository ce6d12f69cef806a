package external

import "time"

// SetStartTime changes how long the program may take to begin.
func (c *Command) SetStartTime(d time.Duration) { c.startTime = d }

// Running returns the number of processes.
func (c *Command) Running() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.running)
}

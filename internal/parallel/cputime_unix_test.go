//go:build unix

package parallel

import "testing"

// A process that runs tests has used the processor, and its time never runs backwards.
func TestCPUTime(t *testing.T) {
	before := CPUTime()
	if after := CPUTime(); before <= 0 || after < before {
		t.Errorf("processor time %v, then %v", before, after)
	}
}

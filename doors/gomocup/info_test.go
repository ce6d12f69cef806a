package gomocup

import (
	"runtime"
	"testing"

	"tengen/doors/manager"
)

// A manager that asks for more threads than there are cores gets one for each.
func TestThreads(t *testing.T) {
	cores := runtime.GOMAXPROCS(0)
	for text, want := range map[string]int{"-1": 1, "1": 1, "100000": min(cores, manager.MaxThreads), "99999999999999999999": min(cores, manager.MaxThreads)} {
		s := new(session)
		if s.inform("thread_num " + text); s.info.threads != want {
			t.Errorf("thread_num %s gives %d threads, want %d", text, s.info.threads, want)
		}
	}
}

package disktest

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// Fault is a way in which a disk fails.
type Fault string

// Faults. A disk that is full stays so until the program has ended.
const (
	Broken    Fault = "EIO"               // a call fails
	Full      Fault = "ENOSPC"            // from a call on, all that take room fail
	Cut       Fault = "short"             // a write writes half of its bytes, all else happens
	CutAtFull Fault = "short then ENOSPC" // a write writes half of its bytes, and from then on all calls that take room fail
)

// Faults are all of them.
var Faults = []Fault{Broken, Full, Cut, CutAtFull}

// hits reports whether the fault can begin with a call.
func (f Fault) hits(c Call) bool {
	switch f {
	case Broken:
		return c.Kind != Print
	case Full:
		return c.takesRoom()
	default:
		return c.Cuttable()
	}
}

func (c Call) takesRoom() bool {
	return c.Kind == Write || c.Kind == Create || c.Kind == Mkdir || c.Kind == Truncate && c.Offset == 0
}

// Injector makes a fault happen once in a program that Run runs.
type Injector struct {
	Fault Fault
	At    int    // at which call of those with which the fault can begin, from 1; 0: never
	Calls int    // with which it could have begun so far
	Hit   []Call // that failed or were cut
}

// Judge is for Run.
func (i *Injector) Judge(c Call) Verdict {
	begins := false
	if i.Fault.hits(c) {
		i.Calls++
		begins = i.Calls == i.At
	}
	if i.At == 0 || i.Calls < i.At {
		return 0
	}
	verdict := Verdict(0)
	switch {
	case begins && (i.Fault == Cut || i.Fault == CutAtFull):
		verdict = Short
	case begins && i.Fault == Broken:
		verdict = syscall.EIO
	case (i.Fault == Full || i.Fault == CutAtFull) && c.takesRoom():
		verdict = syscall.ENOSPC
	}
	if verdict != 0 {
		i.Hit = append(i.Hit, c)
	}
	return verdict
}

// Explained reports whether a text names a file that was hit, in the watched folder dir, and says why.
func (i *Injector) Explained(dir, text string) bool {
	why := syscall.ENOSPC
	if i.Fault == Broken {
		why = syscall.EIO
	}
	if !strings.Contains(text, why.Error()) {
		return false
	}
	for _, c := range i.Hit {
		if strings.Contains(text, filepath.Join(dir, c.Path)) {
			return true
		}
	}
	return false
}

// Check is an error unless a program that ended with err, and wrote text to its standard error, ended well or has explained what
// happened. What a short write leaves out can still be written, so that it is no reason to fail.
func (i *Injector) Check(dir, text string, err error) error {
	switch {
	case err == nil:
		return nil
	case len(i.Hit) == 0:
		return fmt.Errorf("nothing failed, and it ended with %w: %s", err, text)
	case i.Fault == Cut:
		return fmt.Errorf("%s of %s was short, and it ended with %w: %s", i.Hit[0].Kind, i.Hit[0].Path, err, text)
	case err.Error() != "exit status 1" || !i.Explained(dir, text):
		return fmt.Errorf("after %s of %s it ended with %w, which does not name a file and say why: %s", i.Hit[0].Kind, i.Hit[0].Path, err, text)
	}
	return nil
}

// Each counts the calls of a program that runs undisturbed, and then calls test with each fault at each call, as subtests that may be
// parallel. Unless most is 0, so many calls for each fault are enough, spread evenly. In a program of several threads the number of
// calls changes from run to run, as what comes together is written together; it is an error if half of the faults did not happen.
func Each(t *testing.T, most int, undisturbed func(judge func(Call) Verdict), test func(t *testing.T, i *Injector)) {
	t.Helper()
	counts := make([]Injector, len(Faults))
	for i, fault := range Faults {
		counts[i].Fault = fault
	}
	undisturbed(func(c Call) Verdict {
		for i := range counts {
			counts[i].Judge(c)
		}
		return 0
	})
	for _, count := range counts {
		step := 1
		if most > 0 {
			step = max(1, (count.Calls+most-1)/most)
		}
		var mu sync.Mutex
		tests, hits := 0, 0
		t.Cleanup(func() {
			t.Logf("%s: %d of %d calls, in %d the fault happened", count.Fault, tests, count.Calls, hits)
			if count.Calls == 0 || 2*hits < tests {
				t.Errorf("%s did not happen often enough", count.Fault)
			}
		})
		for n := (step + 1) / 2; n <= count.Calls; n += step {
			t.Run(fmt.Sprintf("%s %d", count.Fault, n), func(t *testing.T) {
				i := &Injector{Fault: count.Fault, At: n}
				t.Cleanup(func() {
					mu.Lock()
					defer mu.Unlock()
					tests++
					if len(i.Hit) > 0 {
						hits++
					}
				})
				test(t, i)
			})
		}
	}
}

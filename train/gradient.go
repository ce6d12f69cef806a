package train

import (
	"fmt"
	"math"

	"tengen/net"
)

// add adds factor times what to each sum.
func add(sums, what []net.Param, factor float32) {
	for i := range sums {
		sum, data := sums[i].Data, what[i].Data
		for j := range sum {
			sum[j] += factor * data[j]
		}
	}
}

func scale(params []net.Param, factor float32) {
	for _, p := range params {
		for j := range p.Data {
			p.Data[j] *= factor
		}
	}
}

// norm is the Euclidean norm of all values together.
func norm(params []net.Param) float64 {
	sum := 0.0
	for _, p := range params {
		for _, x := range p.Data {
			sum += float64(x) * float64(x)
		}
	}
	return math.Sqrt(sum)
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// NotFiniteError tells that training has diverged: a loss, gradient or weight was infinite or not a number.
type NotFiniteError struct {
	Step uint64 // counts from 0 over the run
	Err  error  // says what it was
}

func (e NotFiniteError) Error() string {
	return fmt.Sprintf("training diverged at step %d: %v", e.Step, e.Err)
}

func (e NotFiniteError) Unwrap() error { return e.Err }

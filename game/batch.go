package game

// Batch holds B training samples, row by row, in the layout of a network's inputs. Values are for the side to move.
type Batch struct {
	Planes []float32 // [B, planes, H, W]: encoded positions
	Pi     []float32 // [B, Actions]: policy targets; each sums to 1, or is all 0 and adds no loss
	Legal  []float32 // [B, Actions]: 1 for legal moves, else 0
	Z      []float32 // [B]: value targets in [-1, 1]

	// Targets maps each auxiliary head's name to its targets, [B, n], see Reply and Occupancy. A row of 0 is a missing
	// target, and adds no loss.
	Targets map[string][]float32
}

// Names of the auxiliary heads, and the shapes of their targets.
const (
	Reply     = "reply"     // [B, Actions]: the opponent's next move, as a policy
	Occupancy = "occupancy" // [B, H*W, Holders]: who holds each cell at the end, one-hot
)

// Holders is the number of classes of a cell: held by the side to move, by its opponent, or by neither, in this order.
const Holders = 3

// NewBatch returns a batch of size samples, without auxiliary targets. input is the length of an encoded position, see
// InputLen.
func NewBatch(size, input, actions int) *Batch {
	return &Batch{
		Planes: make([]float32, size*input),
		Pi:     make([]float32, size*actions),
		Legal:  make([]float32, size*actions),
		Z:      make([]float32, size),
	}
}

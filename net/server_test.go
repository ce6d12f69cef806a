package net

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"tengen/internal/gpu"
	"tengen/internal/parallel"
	"tengen/internal/random"
)

// mirror is a driver whose device gives the processor's outputs, for batches of up to 4 rows, unless fault changes them.
type mirror struct {
	gpu.Driver
	mu      sync.Mutex
	here    *Inference
	planes  []byte // last written
	reads   int
	fault   func(read int, data []float32) error
	room    int // bytes that can be allocated at once; 0: any number
	objects map[gpu.Kind]int
}

func (m *mirror) Context(gpu.Handle) (gpu.Handle, error)                 { return 1, nil }
func (m *mirror) Build(_, _ gpu.Handle, _, _ string) (gpu.Handle, error) { return 1, nil }
func (m *mirror) Argument(gpu.Handle, int, any) error                    { return nil }
func (m *mirror) Launch(_, _ gpu.Handle, _, _ [3]int) error              { return nil }
func (m *mirror) Queue(_, _ gpu.Handle) (gpu.Handle, error)              { return m.add(gpu.Queue), nil }
func (m *mirror) Kernel(gpu.Handle, string) (gpu.Handle, error)          { return m.add(gpu.Kernel), nil }
func (m *mirror) Release(kind gpu.Kind, _ gpu.Handle)                    { m.objects[kind]-- }

func (m *mirror) add(kind gpu.Kind) gpu.Handle {
	m.objects[kind]++
	return 1
}

func (m *mirror) Alloc(_ gpu.Handle, bytes int) (gpu.Handle, error) {
	if m.room > 0 && bytes > m.room {
		return 0, fmt.Errorf("no room for %d bytes", bytes)
	}
	return m.add(gpu.Memory), nil
}

func (m *mirror) Write(_, _ gpu.Handle, data []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.planes = append(m.planes[:0], data...)
	return nil
}

// Read reads logits, which are more than one a row, or values before tanh.
func (m *mirror) Read(_, _ gpu.Handle, data []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	rows := len(m.planes) / m.here.weights.Shape.inputLen()
	for i, x := range m.planes {
		m.here.planes[i] = float32(x)
	}
	m.here.Forward(rows)
	to := unsafe.Slice((*float32)(unsafe.Pointer(&data[0])), len(data)/4)
	if copy(to, m.here.logits); len(to) == rows {
		for i, x := range m.here.value[:rows] {
			to[i] = float32(math.Atanh(float64(x)))
		}
	}
	m.reads++
	if m.fault != nil {
		return m.fault(m.reads, to)
	}
	return nil
}

// mirrored returns a device that has passed the check of the toy networks, and its warnings.
func mirrored(t *testing.T, m *mirror) (*Device, *[]string) {
	t.Helper()
	m.here, m.objects = NewInference(toyWeights(), 4), map[gpu.Kind]int{}
	warnings := &[]string{}
	d, err := opened(gpu.Open(m, gpu.Info{Name: "mirror"}, func(err error) { *warnings = append(*warnings, err.Error()) }))
	if err != nil {
		t.Fatal(err)
	}
	d.card.Check(fmt.Sprint(toyConfig, toyShape), func() error { return nil })
	d.card.Check("training "+fmt.Sprint(toyConfig, toyShape), func() error { return nil })
	d.spent = time.Hour // no samples but at the end
	return d, warnings
}

// forward evaluates a batch of random positions, and reports whether the logits have the processor's bits.
func forward(c *client, rng *rand.Rand) bool {
	for i := range c.planes {
		c.planes[i] = float32(rng.IntN(2))
	}
	c.Forward(c.Batch())
	want := NewInference(toyWeights(), c.Batch())
	copy(want.planes, c.planes)
	want.Forward(c.Batch())
	for i := range c.Batch() {
		if sameBits("", c.Logits(i), want.Logits(i)) != nil {
			return false
		}
	}
	return true
}

// A server notices a fault that lasts at the latest when it verifies the last batch, and a single one if the processor
// has time for samples. Then, and when the device fails, it warns once, and its evaluators compute here.
func TestServerVerifies(t *testing.T) {
	flip := func(data []float32) error {
		data[len(data)-1] = math.Float32frombits(math.Float32bits(data[len(data)-1]) ^ 1)
		return nil
	}
	for name, test := range map[string]struct {
		first, last int // reads that go wrong, two a batch
		fault       func(data []float32) error
		often       bool // there is time for a sample of each batch
		wrong       int  // batches that are used in spite of their bits
		want        string
	}{
		"none":                 {0, 0, nil, true, 0, ""},
		"bits from a batch on": {7, 100, flip, false, 3, "a logit is"},
		"bits in one batch":    {7, 7, flip, true, 0, "a logit is"},
		"the same, no samples": {7, 7, flip, false, 1, ""},
		"not finite":           {7, 7, func(data []float32) error { data[3] = float32(math.NaN()); return nil }, false, 0, "a logit is NaN"},
		"error":                {7, 7, func([]float32) error { return fmt.Errorf("it is gone") }, false, 0, "it is gone"},
	} {
		t.Run(name, func(t *testing.T) {
			d, warnings := mirrored(t, &mirror{fault: func(read int, data []float32) error {
				if read < test.first || read > test.last {
					return nil
				}
				return test.fault(data)
			}})
			s := NewServer(d, toyWeights(), 4)
			defer s.Close()
			if s.board == nil {
				t.Fatal(d.Lost(), *warnings)
			}
			c, rng, wrong := s.client(4), random.New(1, random.Test), 0
			for range 6 {
				if test.often {
					d.mu.Lock()
					d.spent, d.opened = 0, d.opened-time.Hour
					d.mu.Unlock()
				}
				if !forward(c, rng) {
					wrong++
				}
			}
			s.Load(toyWeights()) // calls Verify before the weights change
			err := d.Lost()
			if (err != nil) != (test.want != "") || wrong != test.wrong {
				t.Errorf("%d wrong batches, want %d; error %v", wrong, test.wrong, err)
			}
			if text := strings.Join(*warnings, "; "); strings.Count(text, "the processor computes instead") != min(1, len(test.want)) ||
				!strings.Contains(text, test.want) || test.want != "" && !strings.HasPrefix(text, "mirror: ") {
				t.Errorf("warnings %q, want %q", text, test.want)
			}
			if wrong = 0; !forward(c, rng) {
				t.Error("the bits differ afterwards")
			}
		})
	}
}

// A closed server frees all that it has on the device, and Device.Close the servers that are open. A closed trainer too.
func TestServerFreesTheDevice(t *testing.T) {
	m := &mirror{}
	d, warnings := mirrored(t, m)
	pool := parallel.NewPool(1)
	defer pool.Close()
	for i := range 50 {
		trainer := NewTrainer(toyWeights(), 2, 1, pool)
		trainer.Accelerate(d)
		if !trainer.OnDevice() {
			t.Fatal(*warnings)
		}
		s := NewServer(d, toyWeights(), 4)
		if m.objects[gpu.Memory] == 0 || m.objects[gpu.Kernel] == 0 {
			t.Fatalf("it has %v, %v", m.objects, *warnings)
		}
		trainer.Close()
		if i%2 == 0 {
			s.Close()
		} else {
			d.Close()
		}
		for kind, n := range m.objects {
			if n != 0 {
				t.Fatalf("server %d leaves %d objects of kind %d", i, n, kind)
			}
		}
	}
}

// A network for which the device has no room is computed here, and takes the device from no other.
func TestServerWithoutRoom(t *testing.T) {
	m := &mirror{room: 20_000}
	d, warnings := mirrored(t, m)
	before := NewServer(d, toyWeights(), 4)
	large := NewServer(d, toyWeights(), 4000)
	after := NewServer(d, toyWeights(), 4)
	if before.board == nil || large.board != nil || after.board == nil || d.Lost() != nil {
		t.Errorf("on the device are %v, %v, %v; lost: %v", before.board != nil, large.board != nil, after.board != nil, d.Lost())
	}
	if !forward(large.client(9), random.New(1, random.Test)) {
		t.Error("the large network has other bits")
	}
	NewServer(d, toyWeights(), 5000)
	if text := strings.Join(*warnings, ""); strings.Count(text, "mirror: cannot reserve") != 1 || !strings.HasSuffix(text, "the processor computes instead") {
		t.Errorf("warnings %q", text)
	}
	d.Close()
	for kind, n := range m.objects {
		if n != 0 {
			t.Errorf("%d objects of kind %d are left", n, kind)
		}
	}
}

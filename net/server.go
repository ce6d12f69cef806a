package net

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"tengen/internal/gpu"
	"tengen/internal/portable"
)

// Server owns a network's weights, and their copy on a device. Its evaluators share both, and the device's batches: the
// first to arrive computes the waiting positions of the others too. If there is no device, or once it is lost, each
// evaluator computes on this processor, with the same bits.
type Server struct {
	device *Device
	board  *onDevice // nil: this processor

	here    *Inference // with the weights
	loading sync.Mutex // guards LoadFrom(here), and what follows
	loads   int        // of weights
}

// onDevice is a network on a device.
type onDevice struct {
	network twin

	computing sync.Mutex // guards what follows
	planes    []byte     // [rows, planes, H, W]
	logits    gpu.Output // a device that does not answer may write to these later
	value     gpu.Output // before tanh
	last      int        // rows of the last batch, in the memory above; 0 once they have been verified
	batch     []*request

	queue   sync.Mutex // guards waiting
	waiting []*request
}

// request is what an evaluator wants computed in the next batch.
type request struct {
	positions []byte // [rows, planes, H, W]
	buffers          // where the outputs go; its value is the one before tanh
	done      bool
	err       error
}

// NewServer puts the network of w on a device, for batches of some rows there, unless d is nil. It loads w. The caller
// must close the server, after the last use of its evaluators.
func NewServer(d *Device, w *Weights, rows int) *Server {
	s := &Server{device: d, here: NewInference(w, rows), loads: 1}
	if d == nil {
		return s
	}
	key := fmt.Sprint(w.Config, w.Shape)
	if d.prepare(key, func() error { return checkDevice(d.card, w.Config, w.Shape) }, func() (err error) {
		s.board, err = s.here.onDevice(d.card, rows)
		return err
	}) {
		d.mu.Lock()
		d.servers[s] = true
		d.mu.Unlock()
	}
	return s
}

// OnDevice reports whether the device given to NewServer had room for the network.
func (s *Server) OnDevice() bool { return s.board != nil }

// Load calls Verify, and replaces the weights. No evaluator may be used meanwhile. It panics when the architecture
// differs.
func (s *Server) Load(w *Weights) {
	s.Verify()
	s.loading.Lock()
	defer s.loading.Unlock()
	s.here.Load(w)
	s.loads++
	if s.board != nil {
		s.board.network.Load() // an error loses the device
	}
}

// Verify computes the device's last batch again on this processor. If the device is lost, by a difference or before,
// the results since the last call may be wrong. It is safe for concurrent use.
func (s *Server) Verify() {
	b := s.board
	if b == nil {
		return
	}
	b.computing.Lock()
	defer b.computing.Unlock()
	rows := b.last
	if b.last = 0; rows == 0 {
		return
	}
	s.device.sample(true, 1, func() error {
		want := s.here.cut(0, rows)
		for i := range want.planes {
			want.planes[i] = float32(b.planes[i])
		}
		s.here.Forward(rows)
		got := buffers{logits: b.logits.To, value: b.value.To}
		toTanh(got.value[:rows])
		return got.compare(want)
	})
}

// Close calls Verify, and frees the device's memory.
func (s *Server) Close() {
	if s.board == nil {
		return
	}
	s.Verify()
	s.device.mu.Lock()
	delete(s.device.servers, s)
	s.device.mu.Unlock()
	s.board.network.Close()
}

// client is the batch of one evaluator: an Inference that computes on its server's device, if that has one.
type client struct {
	*Inference
	server  *Server // nil: the weights are the Inference's own
	loads   int     // of the server, when the Inference got its weights
	request request // to the device
}

func (s *Server) client(batch int) *client {
	if s.board != nil && batch > len(s.board.value.To) {
		panic(fmt.Sprintf("net: a batch of %d rows on a device that has %d", batch, len(s.board.value.To)))
	}
	return &client{Inference: compileInference(s.here.weights, batch), server: s}
}

// Forward is Inference.Forward.
func (c *client) Forward(n int) {
	if s := c.server; s != nil {
		if s.board != nil && c.forwardOnDevice(n) == nil {
			return
		}
		s.update(c)
	}
	c.Inference.Forward(n)
}

// update gives a client the newest weights.
func (s *Server) update(c *client) {
	s.loading.Lock()
	defer s.loading.Unlock()
	if c.loads != s.loads {
		c.LoadFrom(s.here)
		c.loads = s.loads
	}
}

// forwardOnDevice is Forward on the device. It verifies the results if it is time for a sample, or if they are not
// finite: the game would end with an error.
func (c *client) forwardOnDevice(n int) error {
	c.ask(n)
	s := c.server
	if err := s.compute(&c.request); err != nil {
		return err
	}
	toTanh(c.value[:n])
	got := c.cut(0, n)
	return s.device.sample(!allFinite(got.logits) || !allFinite(got.value), 1, func() error {
		got.logits, got.value = slices.Clone(got.logits), slices.Clone(got.value)
		s.update(c)
		c.Inference.Forward(n)
		return got.compare(c.cut(0, n))
	})
}

// compare returns an error if outputs of the device differ from those wanted in a bit.
func (b buffers) compare(want buffers) error {
	return cmp.Or(sameBits("a logit is", b.logits, want.logits), sameBits("a value is", b.value, want.value))
}

// toTanh computes the tanh that the device leaves out: OpenCL's has other bits.
func toTanh(data []float32) {
	for i, x := range data {
		data[i] = float32(portable.Tanh(float64(x)))
	}
}

// ask makes the request for the first n rows.
func (c *client) ask(n int) {
	r := &c.request
	r.buffers, r.done = c.cut(0, n), false
	if r.positions == nil {
		r.positions = make([]byte, len(c.planes))
	}
	r.positions = r.positions[:len(r.planes)]
	toBytes(r.positions, r.planes)
}

// toBytes writes planes as a device gets them.
func toBytes(to []byte, planes []float32) {
	for i, x := range planes {
		to[i] = byte(x)
	}
}

// onDevice puts the network on a device, with the weights of inf.
func (inf *Inference) onDevice(d *gpu.Device, rows int) (*onDevice, error) {
	s := inf.weights.Shape
	n, err := d.NewNetwork(s.Height, s.Width, s.Planes, rows)
	if err != nil {
		return nil, err
	}
	there := twin{n, inf.network.batch, inf.weights.Params, map[*float32]gpu.Buffer{}}
	there.add(inf.tape.operations)
	if err := n.Load(); err != nil {
		n.Close()
		return nil, err
	}
	return &onDevice{
		network: there, planes: make([]byte, rows*s.inputLen()),
		logits: gpu.Output{From: there.of(inf.pass.logits), To: make([]float32, rows*s.Actions)},
		value:  gpu.Output{From: there.of(inf.pass.value), To: make([]float32, rows)},
	}, nil
}

// compute answers a request, and others that wait.
func (s *Server) compute(own *request) error {
	b := s.board
	b.queue.Lock()
	b.waiting = append(b.waiting, own)
	b.queue.Unlock()
	b.computing.Lock()
	defer b.computing.Unlock()
	for !own.done {
		s.computeBatch()
	}
	return own.err
}

// computeBatch answers the requests that have waited longest.
func (s *Server) computeBatch() {
	b := s.board
	b.take()
	size, rows := 0, 0
	for _, r := range b.batch {
		size += copy(b.planes[size:], r.positions)
		rows += len(r.value)
	}
	b.last = 0
	err := b.network.Forward(rows, b.planes[:size], b.logits, b.value)
	if err == nil {
		b.last = rows
	}
	logits, value := b.logits.To, b.value.To
	for _, r := range b.batch {
		if err == nil {
			logits, value = logits[copy(r.logits, logits):], value[copy(r.value, value):]
		}
		r.err, r.done = err, true
	}
}

func allFinite(data []float32) bool {
	return !slices.ContainsFunc(data, func(x float32) bool { return !finite(x) })
}

// take moves requests that fit into a batch from waiting to batch.
func (d *onDevice) take() {
	d.queue.Lock()
	defer d.queue.Unlock()
	n, rows := 0, 0
	for n < len(d.waiting) && rows+len(d.waiting[n].value) <= len(d.value.To) {
		rows += len(d.waiting[n].value)
		n++
	}
	d.batch = append(d.batch[:0], d.waiting[:n]...)
	d.waiting = slices.Delete(d.waiting, 0, n)
}

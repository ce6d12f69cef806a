package gpu

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"unsafe"

	"tengen/internal/kernel"
)

// Network is a sequence of operations on a device, from planes to outputs, for batches of images. Its methods that add
// an operation remember the first error, which Load returns. It is not safe for concurrent use.
type Network struct {
	device  *Device
	program Handle
	queue   Handle
	batch   int

	planes    Buffer     // bytes
	tables    []constant // written once
	constants []constant // written by each Load
	prepare   []launch   // compute what follows from the constants
	launches  []launch
	images    int    // of the last Forward, which the kernels' arguments hold
	in, out   Buffer // the transformed tiles of a convolution
	sums      Buffer // of a gradient, for each part of the batch
	backward  int    // the number of launches that belong to Forward, if the others do not
	parts     int    // see Split
	memory    []Handle
	closed    sync.Once
	err       error
}

// Buffer is memory of the device with floats for each image of the batch, or with weights.
type Buffer struct {
	memory Handle
	floats int  // for each image, or of the weights
	first  int  // where a gradient begins in memory, in floats
	fixed  bool // it does not depend on the number of images
}

// constant is memory and what to write to it.
type constant struct {
	to   Buffer
	from func() []byte
}

// launch is a kernel with its arguments. Groups depend on the images.
type launch struct {
	kernel Handle
	batch  int // index of the argument with the number of images, or -1
	groups func(images int) [3]int
}

// group is the number of items of all kernels' groups.
const group = 64

// NewNetwork returns an empty network for boards of a size, and batches of planes [depth, height, width].
func (d *Device) NewNetwork(height, width, depth, batch int) (*Network, error) {
	return d.newNetwork(transforms+kernels, height, width, depth, batch)
}

// NewTraining is NewNetwork for a network with gradients, see Split.
func (d *Device) NewTraining(height, width, depth, batch int) (*Network, error) {
	return d.newNetwork(transforms+kernels+gradients, height, width, depth, batch)
}

func (d *Device) newNetwork(text string, height, width, depth, batch int) (*Network, error) {
	if err := d.Lost(); err != nil {
		return nil, err
	}
	n := &Network{device: d, batch: batch}
	err := d.within(func() (err error) {
		if n.program, err = d.program(text, height, width); err != nil {
			return err
		}
		n.queue, err = d.driver.Queue(d.context, d.Info.Device)
		return err
	})
	if err != nil {
		return nil, err
	}
	n.planes = n.alloc((depth*height*width*batch + 3) / 4)
	return n, nil
}

// Close frees the device's memory. It does nothing on a lost device, whose driver may not answer.
func (n *Network) Close() {
	if n.device.Lost() == nil {
		n.closed.Do(n.release)
	}
}

func (n *Network) release() {
	for _, m := range n.memory {
		n.device.driver.Release(Memory, m)
	}
	for _, l := range slices.Concat(n.prepare, n.launches) {
		n.device.driver.Release(Kernel, l.kernel)
	}
	n.device.driver.Release(Queue, n.queue)
}

func (n *Network) alloc(floats int) Buffer {
	if n.err != nil {
		return Buffer{}
	}
	memory, err := n.device.driver.Alloc(n.device.context, 4*floats)
	if err != nil {
		n.err = fmt.Errorf("cannot reserve %.1f MB of its memory: %w", float64(floats)*4/1e6, err)
		return Buffer{}
	}
	n.memory = append(n.memory, memory)
	return Buffer{memory: memory, floats: floats}
}

// Result returns memory of some floats for each image.
func (n *Network) Result(floats int) Buffer {
	b := n.alloc(floats * n.batch)
	b.floats = floats
	return b
}

// Constant returns memory for what from returns whenever Load is called. Its length must not change.
func (n *Network) Constant(from func() []float32) Buffer {
	b := n.alloc(len(from()))
	n.constants = append(n.constants, constant{b, func() []byte { return bytesOf(from()) }})
	return b
}

func (n *Network) add(name string, groups func(images int) [3]int, batch int, arguments ...any) {
	n.addTo(&n.launches, name, groups, batch, arguments...)
}

func (n *Network) addTo(list *[]launch, name string, groups func(images int) [3]int, batch int, arguments ...any) {
	if n.err != nil {
		return
	}
	k, err := n.device.driver.Kernel(n.program, name)
	if groups(n.batch)[0] > math.MaxInt32/group {
		err = errors.New("the batch is too large")
	}
	for i, a := range arguments {
		if b, ok := a.(Buffer); ok {
			a = b.memory
		} else if a = int32(a.(int)); int(a.(int32)) != arguments[i] {
			err = cmp.Or(err, fmt.Errorf("argument %v is too large", arguments[i]))
		}
		if err == nil {
			err = n.device.driver.Argument(k, i, a)
		}
	}
	if err != nil {
		n.err = fmt.Errorf("kernel %s: %w", name, err)
		return
	}
	*list = append(*list, launch{k, batch, groups})
}

// each returns the groups for an item for each of some elements of an image.
func each(elements int) func(images int) [3]int {
	return func(images int) [3]int { return [3]int{(images*elements + group - 1) / group, 1, 1} }
}

// once returns the groups for an item for each of some elements, whatever the images.
func once(elements int) func(images int) [3]int {
	return func(int) [3]int { return [3]int{(elements + group - 1) / group, 1, 1} }
}

// Patches adds kernel.Patches of the planes.
func (n *Network) Patches(to Buffer, depth int) {
	n.add("patches", each(to.floats), 2, to, n.planes, n.batch, depth)
}

// Product describes a matrix product for each image, [rows, in] to [rows, out].
type Product struct {
	Rows, In, Out int
	Each          bool // the bias is [out] of each image
	Rectify       bool
}

// Flags of the last argument of product and scatter.
const (
	biased = 1 << iota
	biasedEach
	rectify
	residual // in scatter
	masked
)

// Dense adds kernel.Dense with a filter by Pack. The bias has at least Out floats, or is the zero Buffer for none.
func (n *Network) Dense(y, x, filter, bias Buffer, p Product) {
	used := n.table(0, int32(p.Rows))
	how := biased
	switch {
	case bias == Buffer{}:
		how = 0
	case p.Each:
		how = biasedEach
	}
	if p.Rectify {
		how |= rectify
	}
	n.product(y, x, filter, bias, used, p, multiplication{planes: 1, mostRows: p.Rows, ldb: kernel.Lanes, panel: p.In * kernel.Lanes, how: how})
}

// multiplication says how matrices lie in memory.
type multiplication struct {
	planes, mostRows       int // of an image
	ldb, panel             int
	planeA, planeB, planeC int
	how                    int
	rounded                bool // products are rounded before they are added
}

func (n *Network) product(c, a, b, bias, used Buffer, p Product, m multiplication) {
	const rows = 64 // of a group
	padded := kernel.Pad(p.Out)
	columns := 16 // of an item's group
	for _, wide := range []int{64, 48, 32} {
		if padded%wide == 0 {
			columns = wide
			break
		}
	}
	groups := func(images int) [3]int {
		return [3]int{(images*m.mostRows + rows - 1) / rows, padded / columns, m.planes}
	}
	name := fmt.Sprintf("product%d", columns/8)
	if m.rounded {
		name = "rounded2"
	}
	if bias == (Buffer{}) {
		bias = c // which is not read
	}
	n.add(name, groups, 5, c, a, b, bias, used, n.batch, p.In, p.Out, m.ldb, m.panel,
		m.planeA, m.planeB, m.planeC, max(1, p.Rows), m.how)
}

// table returns memory that holds numbers after the first Load.
func (n *Network) table(numbers ...int32) Buffer {
	b := n.alloc(len(numbers))
	n.tables = append(n.tables, constant{b, func() []byte { return bytesOf(numbers) }})
	return b
}

// Convolution describes a convolution and what is added to its result. The zero Buffer means none.
type Convolution struct {
	Plan     *kernel.Conv
	In, Out  int
	Bias     Buffer
	Each     bool // the bias is [out] of each image
	Residual Buffer
	Rectify  bool
	Mask     Buffer // the result is 0 where this is not above 0
}

// Convolve adds kernel.Conv.Forward or InputGradient, with a filter by Filter.
func (n *Network) Convolve(y, x, filter Buffer, c Convolution) {
	used, tiles := c.Plan.Used()
	padded := kernel.Pad(c.Out)
	planeIn, planeOut := n.batch*tiles*c.In, n.batch*tiles*padded
	n.in, n.out = n.grow(n.in, len(used)/2*planeIn), n.grow(n.out, len(used)/2*planeOut)
	n.add("gather", each(tiles*c.In), 2, n.in, x, n.batch, c.In, whole(c.In), planeIn)
	n.product(n.out, n.in, filter, Buffer{}, n.table(used...), Product{In: c.In, Out: padded}, multiplication{
		planes: len(used) / 2, mostRows: tiles, ldb: padded, panel: kernel.Lanes,
		planeA: planeIn, planeB: c.In * padded, planeC: planeOut,
	})
	how, bias := 0, biased
	if c.Each {
		bias = biasedEach
	}
	if c.Rectify {
		how = rectify
	}
	given := func(b Buffer, flag int) Buffer {
		if b == (Buffer{}) {
			return y // which is not read
		}
		how |= flag
		return b
	}
	c.Bias, c.Residual, c.Mask = given(c.Bias, bias), given(c.Residual, residual), given(c.Mask, masked)
	n.add("scatter", each(tiles*c.Out), 5, y, n.out, c.Bias, c.Residual, c.Mask, n.batch, c.Out, whole(c.Out), padded, planeOut, how)
}

// whole returns how many of some channels package kernel transforms in registers; it computes the rest in plain Go.
func whole(channels int) int { return channels &^ 7 }

func (n *Network) grow(b Buffer, floats int) Buffer {
	if b.floats >= floats {
		return b
	}
	return n.alloc(floats)
}

// Pool adds each channel's mean and maximum over an image's cells, [2, channels].
func (n *Network) Pool(y, x Buffer, channels int) {
	n.add("pool", each(channels), 2, y, x, n.batch, channels)
}

// Columns says which columns to copy, of some rows for each image.
type Columns struct{ Rows, Count, WidthTo, FirstTo, WidthFrom, FirstFrom int }

// Copy adds a copy of columns.
func (n *Network) Copy(to, from Buffer, c Columns) {
	n.add("copy", each(c.Rows*c.Count), 2, to, from, n.batch, c.Rows, c.Count, c.WidthTo, c.FirstTo, c.WidthFrom, c.FirstFrom)
}

// Load writes all constants and computes what follows from them.
func (n *Network) Load() error {
	if err := cmp.Or(n.device.Lost(), n.err); err != nil {
		return err
	}
	return n.device.use(func() (err error) {
		for _, c := range slices.Concat(n.tables, n.constants) {
			if err == nil {
				err = n.device.driver.Write(n.queue, c.to.memory, c.from())
			}
		}
		n.tables = nil
		return cmp.Or(err, n.launch(n.prepare))
	})
}

// Output is where Forward writes a result's floats of each image.
type Output struct {
	From Buffer
	To   []float32
}

// Forward computes some images, at most the batch, from their planes.
func (n *Network) Forward(images int, planes []byte, outputs ...Output) error {
	return n.device.use(func() error { return n.forward(images, planes, outputs) })
}

func (n *Network) forward(images int, planes []byte, outputs []Output) error {
	d := n.device.driver
	if images != n.images {
		for _, l := range n.launches {
			if l.batch < 0 {
				continue
			}
			if err := d.Argument(l.kernel, l.batch, int32(images)); err != nil {
				return err
			}
		}
		n.images = images
	}
	if err := d.Write(n.queue, n.planes.memory, planes); err != nil {
		return err
	}
	launches := n.launches
	if n.backward > 0 {
		launches = launches[:n.backward]
	}
	if err := n.launch(launches); err != nil {
		return err
	}
	return n.read(outputs)
}

func (n *Network) launch(launches []launch) error {
	for _, l := range launches {
		g := l.groups(n.images)
		if err := n.device.driver.Launch(n.queue, l.kernel, [3]int{g[0] * group, g[1], g[2]}, [3]int{group, 1, 1}); err != nil {
			return err
		}
	}
	return nil
}

func (n *Network) read(outputs []Output) error {
	for _, o := range outputs {
		size := o.From.floats
		if !o.From.fixed {
			size *= n.images
		}
		if err := n.device.driver.Read(n.queue, o.From.memory, bytesOf(o.To[:size])); err != nil {
			return err
		}
	}
	return nil
}

// Read reads a result of the last Forward.
func (n *Network) Read(o Output) error {
	return n.device.use(func() error { return n.read([]Output{o}) })
}

func bytesOf[T int32 | float32](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), 4*len(s))
}

// Package gpu computes networks on graphics cards by OpenCL, without cgo. Results have the bits of package kernel with
// AVX2, AVX-512 or NEON, whatever the batch. A device that computes other bits fails its test and is not used.
//
// kernels.cl has the operations, gradients.cl their gradients, and transforms.cl the transforms of lab/gen-kernels.
// They are compiled for each size of the board by the device's driver.
package gpu

import (
	_ "embed"
	"errors"
	"fmt"
	"sync"
	"time"

	"tengen/internal/printable"
)

// Driver is what this package needs of OpenCL. Handles are the driver's. It is safe for concurrent use, but the
// arguments of a kernel must not be set while another goroutine uses it. Tests inject faults through it.
type Driver interface {
	// Devices lists the devices of all platforms. It is an error if there is no OpenCL.
	Devices() ([]Info, error)
	Context(device Handle) (context Handle, err error)
	// Build compiles a program. Its error ends with the compiler's messages.
	Build(context, device Handle, source, options string) (program Handle, err error)
	Queue(context, device Handle) (queue Handle, err error)
	Alloc(context Handle, bytes int) (memory Handle, err error)
	Kernel(program Handle, name string) (kernel Handle, err error)
	Argument(kernel Handle, index int, value any) error // value is the Handle of memory or an int32
	Launch(queue, kernel Handle, global, local [3]int) error
	// Write and Read return when they are done, Read after all launches before it.
	Write(queue, memory Handle, data []byte) error
	Read(queue, memory Handle, data []byte) error
	Release(kind Kind, h Handle)
}

// Handle is one of a driver's objects.
type Handle uintptr

// Kind is the kind of an object to release.
type Kind int

// What is released.
const (
	Memory Kind = iota
	Kernel
	Queue
)

// Info describes a device.
type Info struct {
	Name    string // of the device
	Driver  string // its version
	GPU     bool   // false for a processor
	Memory  uint64 // bytes
	Problem string // why it can't compute what package kernel does, by what it says of itself; or ""
	Device  Handle
}

// List lists a driver's devices, graphics cards first. It returns an error if there are none, or if the driver does not
// answer.
func List(d Driver) ([]Info, error) {
	all, err := listWithin(listLimit, d)
	if err == nil && len(all) == 0 {
		err = errors.New("OpenCL knows no device")
	}
	if err != nil {
		return nil, err
	}
	var cards, others []Info
	for _, i := range all {
		if i.Name, i.Driver = printable.Text(i.Name, maxText), printable.Text(i.Driver, maxText); i.GPU {
			cards = append(cards, i)
		} else {
			others = append(others, i)
		}
	}
	return append(cards, others...), nil
}

const (
	listLimit = 10 * time.Second // for a driver to list its devices
	slowBuild = 3 * time.Second  // of a program, before a notice says so
	maxText   = 80               // runes of a device's name, and of its driver's
)

// listWithin lists a driver's devices. After the limit the driver is given up.
func listWithin(limit time.Duration, d Driver) (all []Info, err error) {
	var infos []Info
	err = within(limit, func() (err error) {
		infos, err = d.Devices()
		return err
	})
	if err == errSilent {
		return nil, fmt.Errorf("OpenCL's driver has not listed its devices within %v: restart the machine or install the driver again", limit)
	}
	return infos, err
}

// errSilent says that a driver has not answered.
var errSilent = errors.New("no answer")

// within calls f, which may wait for a driver. After the limit it gives the call up and returns errSilent.
func within(limit time.Duration, f func() error) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case err := <-done:
		return err
	case <-timer.C:
		return errSilent
	}
}

// Device is an open device. It is safe for concurrent use.
type Device struct {
	Info
	driver  Driver
	context Handle
	warn    func(error)
	limit   time.Duration // of a wait

	mu   sync.Mutex
	lost error

	building sync.Mutex
	programs map[string]Handle // by their text and the board's size

	checking sync.Mutex
	checked  map[string]error
}

// waitLimit bounds a batch's time on a device, and the compiler's.
const waitLimit = 2 * time.Minute

// Open opens a device of List. Once the device fails, warn gets the reason.
func Open(d Driver, i Info, warn func(error)) (*Device, error) {
	if i.Problem != "" {
		return nil, fmt.Errorf("%s: %s", i.Name, i.Problem)
	}
	context, err := d.Context(i.Device)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", i.Name, err)
	}
	return &Device{
		Info: i, driver: d, context: context, warn: warn, limit: waitLimit,
		programs: map[string]Handle{}, checked: map[string]error{},
	}, nil
}

// Lost returns why the device is no longer used, or nil.
func (d *Device) Lost() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.lost
}

// Lose gives the device up, and warns at the first call.
func (d *Device) Lose(err error) error {
	d.mu.Lock()
	first := d.lost == nil
	if first {
		d.lost = fmt.Errorf("%s: %w", d.Name, err)
	}
	err = d.lost
	d.mu.Unlock()
	if first {
		d.warn(fmt.Errorf("%w: the processor computes instead", err))
	}
	return err
}

// Notice is said by way of Open's warn, but is no problem.
type Notice string

// Error implements error.
func (n Notice) Error() string { return string(n) }

// Warn reports a problem that leaves the device in use.
func (d *Device) Warn(err error) { d.warn(fmt.Errorf("%s: %w", d.Name, err)) }

// Check calls check once for each key, and returns its answer.
func (d *Device) Check(key string, check func() error) error {
	d.checking.Lock()
	defer d.checking.Unlock()
	if _, ok := d.checked[key]; !ok {
		d.checked[key] = check()
	}
	return d.checked[key]
}

//go:embed kernels.cl
var kernels string

//go:embed gradients.cl
var gradients string

//go:embed transforms.cl
var transforms string

// program returns a text's kernels for boards of a size.
func (d *Device) program(text string, height, width int) (Handle, error) {
	const tile = 4
	options := fmt.Sprintf("-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt -DHEIGHT=%d -DWIDTH=%d -DEDGE_ROWS=%d -DEDGE_COLUMNS=%d",
		height, width, (height-1)%tile+1, (width-1)%tile+1)
	d.building.Lock()
	defer d.building.Unlock()
	if p, ok := d.programs[options+text]; ok {
		return p, nil
	}
	slow := time.AfterFunc(slowBuild, func() {
		d.warn(Notice(d.Name + ": the driver compiles the kernels, which may take minutes the first time"))
	})
	defer slow.Stop()
	p, err := d.driver.Build(d.context, d.Info.Device, "#pragma OPENCL FP_CONTRACT OFF\n"+text, options)
	if err != nil {
		return 0, fmt.Errorf("the driver cannot compile the kernels: %w", err)
	}
	d.programs[options+text] = p
	return p, nil
}

// within calls f, which may wait for the device. After the limit the call and the device are given up.
func (d *Device) within(f func() error) error {
	err := within(d.limit, f)
	if err == errSilent {
		return d.Lose(fmt.Errorf("no answer within %v", d.limit))
	}
	return err
}

// use is within, and gives the device up if f fails. It does not call f if the device is lost.
func (d *Device) use(f func() error) error {
	if err := d.Lost(); err != nil {
		return err
	}
	if err := d.within(f); err != nil {
		return d.Lose(err)
	}
	return nil
}

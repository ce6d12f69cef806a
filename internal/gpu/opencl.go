//go:build darwin || windows || (linux && gpu)

package gpu

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"

	"tengen/internal/printable"
)

// OpenCL is this machine's OpenCL. The first call of Devices loads it.
var OpenCL Driver = &library{}

// library has the addresses of OpenCL's functions. The specification of OpenCL 1.2 describes them.
type library struct {
	load     sync.Once
	err      error
	function map[string]uintptr
}

var functions = []string{
	"clGetPlatformIDs", "clGetDeviceIDs", "clGetDeviceInfo", "clCreateContext", "clCreateCommandQueue", "clCreateBuffer",
	"clCreateProgramWithSource", "clBuildProgram", "clGetProgramBuildInfo", "clCreateKernel", "clSetKernelArg",
	"clEnqueueWriteBuffer", "clEnqueueReadBuffer", "clEnqueueNDRangeKernel", "clReleaseMemObject", "clReleaseKernel",
	"clReleaseCommandQueue",
}

func (l *library) use() error {
	l.load.Do(func() {
		var loader uintptr
		if loader, l.err = loadLibrary(); l.err != nil {
			return
		}
		l.function = map[string]uintptr{}
		for _, name := range functions {
			if l.function[name], l.err = symbol(loader, name); l.err != nil {
				return
			}
		}
	})
	return l.err
}

// p makes the conversions of pointers short. They must stand in the list of arguments of a function that has the
// directive uintptrescapes: only there do they keep the memory where it is.
type p = unsafe.Pointer

//go:uintptrescapes
func (l *library) call(name string, arguments ...uintptr) uintptr {
	result, _, _ := purego.SyscallN(l.function[name], arguments...)
	return result
}

// do calls a function that returns a status.
//
//go:uintptrescapes
func (l *library) do(name string, arguments ...uintptr) error {
	return failure(status(int32(l.call(name, arguments...))))
}

// create calls a function that returns a handle, and whose last argument is a pointer to the status. A driver that
// returns nothing has failed: it would crash if it got that back.
//
//go:uintptrescapes
func (l *library) create(name string, arguments ...uintptr) (Handle, error) {
	var pinner runtime.Pinner // append is no list of arguments
	defer pinner.Unpin()
	s := new(status)
	pinner.Pin(s)
	h := l.call(name, append(arguments, uintptr(p(s)))...)
	if *s == 0 && h == 0 {
		return 0, errors.New("the driver returns nothing from " + name)
	}
	return Handle(h), failure(*s)
}

// status is an OpenCL error code.
type status int32

// Error returns the code and what it means for a user.
func (s status) Error() string {
	if name, ok := statuses[s]; ok {
		return fmt.Sprintf("OpenCL error %d, %s", int32(s), name)
	}
	return fmt.Sprintf("OpenCL error %d", int32(s))
}

var statuses = map[status]string{
	-4: "not enough memory on the device", -5: "out of resources", -6: "not enough memory on this machine",
	-11: "the program does not compile", -61: "too much memory at once",
}

func failure(s status) error {
	if s == 0 {
		return nil
	}
	return s
}

// Numbers of the specification.
const (
	maxLog = 2000 // runes of a compiler's messages

	noPlatform         status = -1001
	allDevices                = 0xffffffff
	deviceType                = 0x1000
	deviceSingleConfig        = 0x101b
	deviceMemory              = 0x101f
	deviceName                = 0x102b
	driverVersion             = 0x102d
	buildLog                  = 0x1183
	typeGPU                   = 1 << 2
	floatDenormals            = 1 << 0
	floatRoundNearest         = 1 << 2
	floatFMA                  = 1 << 5
	floatDivision             = 1 << 7
)

// Devices lists the OpenCL devices.
func (l *library) Devices() (all []Info, err error) {
	if err := l.use(); err != nil {
		return nil, err
	}
	var platforms [16]uintptr
	var n uint32
	err = l.do("clGetPlatformIDs", uintptr(len(platforms)), uintptr(p(&platforms[0])), uintptr(p(&n)))
	if err != nil && err != noPlatform {
		return nil, err
	}
	for _, platform := range present(platforms[:], n) {
		var devices [16]uintptr
		var n uint32
		if l.do("clGetDeviceIDs", platform, allDevices, uintptr(len(devices)), uintptr(p(&devices[0])), uintptr(p(&n))) != nil {
			continue // a driver without its device
		}
		for _, device := range present(devices[:], n) {
			all = append(all, l.describe(device))
		}
	}
	switch {
	case len(present(platforms[:], n)) == 0:
		return nil, errors.New("OpenCL has no driver: install the graphics card's; on Linux, a file in /etc/OpenCL/vendors names its library")
	case len(all) == 0:
		return nil, errors.New("OpenCL's driver offers no device: its settings may hide the device, or it cannot open the device or write its cache")
	}
	return all, nil
}

// present returns the first n of some handles, as far as they are there and not null.
func present(handles []uintptr, n uint32) []uintptr {
	handles = handles[:min(int(n), len(handles))]
	return handles[:slices.Index(append(slices.Clone(handles), 0), 0)]
}

func (l *library) describe(device uintptr) Info {
	i := Info{
		Name:   strings.Join(strings.Fields(l.text(device, deviceName)), " "),
		Driver: l.text(device, driverVersion),
		GPU:    l.number(device, deviceType)&typeGPU != 0,
		Memory: l.number(device, deviceMemory),
		Device: Handle(device),
	}
	const needed = floatDenormals | floatRoundNearest | floatFMA
	switch config := l.number(device, deviceSingleConfig); {
	case config&needed != needed:
		i.Problem = "its arithmetic lacks fused multiply-add, denormals or rounding to nearest"
	case config&floatDivision == 0:
		i.Problem = "it cannot round divisions correctly"
	}
	return i
}

func (l *library) text(device, what uintptr) string {
	b := make([]byte, 1024)
	var n uintptr
	l.call("clGetDeviceInfo", device, what, uintptr(len(b)), uintptr(p(&b[0])), uintptr(p(&n)))
	return strings.TrimRight(string(b[:min(int(n), len(b))]), "\x00")
}

func (l *library) number(device, what uintptr) uint64 {
	v := new(uint64)
	l.call("clGetDeviceInfo", device, what, unsafe.Sizeof(*v), uintptr(p(v)), 0)
	return *v
}

// Context implements Driver.
func (l *library) Context(device Handle) (Handle, error) {
	return l.create("clCreateContext", 0, 1, uintptr(p(&device)), 0, 0)
}

// Queue implements Driver.
func (l *library) Queue(context, device Handle) (Handle, error) {
	return l.create("clCreateCommandQueue", uintptr(context), uintptr(device), 0)
}

// Build implements Driver.
func (l *library) Build(context, device Handle, source, options string) (Handle, error) {
	text := cString(source)
	program, err := l.create("clCreateProgramWithSource", uintptr(context), 1, uintptr(p(&text)), 0)
	if err != nil {
		return 0, err
	}
	if err = l.do("clBuildProgram", uintptr(program), 1, uintptr(p(&device)), uintptr(p(cString(options))), 0, 0); err != nil {
		log := make([]byte, 1<<20)
		l.call("clGetProgramBuildInfo", uintptr(program), uintptr(device), buildLog, uintptr(len(log)), uintptr(p(&log[0])), 0)
		err = fmt.Errorf("%w: %s", err, printable.Text(strings.Join(strings.Fields(string(bytes.Trim(log, "\x00"))), " "), maxLog))
	}
	return program, err
}

func cString(s string) *byte { return &append([]byte(s), 0)[0] }

// Alloc implements Driver.
func (l *library) Alloc(context Handle, bytes int) (Handle, error) {
	const readWrite = 1
	return l.create("clCreateBuffer", uintptr(context), readWrite, uintptr(bytes), 0)
}

// Kernel implements Driver.
func (l *library) Kernel(program Handle, name string) (Handle, error) {
	return l.create("clCreateKernel", uintptr(program), uintptr(p(cString(name))))
}

// Argument implements Driver.
func (l *library) Argument(kernel Handle, index int, value any) error {
	if v, ok := value.(int32); ok {
		return l.do("clSetKernelArg", uintptr(kernel), uintptr(index), unsafe.Sizeof(v), uintptr(p(&v)))
	}
	v := value.(Handle)
	return l.do("clSetKernelArg", uintptr(kernel), uintptr(index), unsafe.Sizeof(v), uintptr(p(&v)))
}

// Launch does not wait.
func (l *library) Launch(queue, kernel Handle, global, local [3]int) error {
	return l.do("clEnqueueNDRangeKernel", uintptr(queue), uintptr(kernel), 3, 0, uintptr(p(&global)), uintptr(p(&local)), 0, 0, 0)
}

const blocking = 1

// Write implements Driver.
func (l *library) Write(queue, memory Handle, data []byte) error {
	return l.do("clEnqueueWriteBuffer", uintptr(queue), uintptr(memory), blocking, 0, uintptr(len(data)),
		uintptr(p(unsafe.SliceData(data))), 0, 0, 0)
}

// Read implements Driver.
func (l *library) Read(queue, memory Handle, data []byte) error {
	return l.do("clEnqueueReadBuffer", uintptr(queue), uintptr(memory), blocking, 0, uintptr(len(data)),
		uintptr(p(unsafe.SliceData(data))), 0, 0, 0)
}

// Release implements Driver.
func (l *library) Release(kind Kind, h Handle) {
	l.call([...]string{"clReleaseMemObject", "clReleaseKernel", "clReleaseCommandQueue"}[kind], uintptr(h))
}

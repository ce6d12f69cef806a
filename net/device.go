package net

import (
	"cmp"
	"errors"
	"fmt"
	"sync"
	"time"

	"tengen/internal/gpu"
	"tengen/internal/parallel"
)

// Device is a graphics card, or another device of OpenCL, that computes networks with the bits of this processor.
// Servers and Trainers use it. It is not believed: they compute a sample of its results again on the processor. At a
// difference, or when the device fails, it is lost: it warns, and the processor computes instead. It is safe for
// concurrent use. A nil Device stands for the processor.
type Device struct {
	card   *gpu.Device
	opened time.Duration // the process's processor time then
	told   sync.Once     // that something does not fit

	mu          sync.Mutex
	servers     map[*Server]bool
	spent, last time.Duration // processor time of all samples, and of the last one
}

// sampleShare is the share of the processor's time that samples may take, apart from those at the end of an iteration.
const sampleShare = 0.005

// OpenDevice opens the device with a name, see gpu.Choose. It returns nil for auto and cpu. warn is called concurrently
// when the device is lost, or has no room for a network.
func OpenDevice(name string, warn func(error)) (*Device, error) {
	return opened(gpu.Choose(gpu.OpenCL, name, warn))
}

// Cards opens the graphics cards that may be able to compute networks. warn is as for OpenDevice.
func Cards(warn func(error)) (cards []*Device) {
	for _, card := range gpu.Cards(gpu.OpenCL, warn) {
		d, _ := opened(card, nil)
		cards = append(cards, d)
	}
	return cards
}

// CheckDeviceName returns an error if OpenDevice knows no such name.
func CheckDeviceName(name string) error { return gpu.CheckName(name) }

func opened(card *gpu.Device, err error) (*Device, error) {
	if card == nil {
		return nil, err
	}
	return &Device{card: card, opened: processorTime(), servers: map[*Server]bool{}}, err
}

// Notice is an error for a device's warn that reports no problem.
type Notice = gpu.Notice

// DeviceInfo describes a device of this machine.
type DeviceInfo struct {
	gpu.Info
	Problem error // why it cannot compute a network, or nil
}

// Devices lists this machine's devices, in the order of OpenDevice's names. Each computes a network of an architecture
// and a step of training as a test.
func Devices(cfg Config, shape Shape) (infos []DeviceInfo, err error) {
	all, err := gpu.List(gpu.OpenCL)
	if err != nil {
		return nil, err
	}
	for _, info := range all {
		d, err := opened(gpu.Open(gpu.OpenCL, info, func(error) {}))
		if err == nil {
			err = cmp.Or(checkDevice(d.card, cfg, shape), checkTraining(d.card, cfg, shape, checkRows, 1))
		}
		infos = append(infos, DeviceInfo{info, err})
	}
	return infos, nil
}

// Name returns the device's name.
func (d *Device) Name() string { return d.card.Name }

// Driver returns the version of the device's driver.
func (d *Device) Driver() string { return d.card.Driver }

// Lost returns why the device is no longer used, or nil. A nil Device is never lost.
func (d *Device) Lost() error {
	if d == nil {
		return nil
	}
	return d.card.Lost()
}

// Close closes the servers that are still open.
func (d *Device) Close() {
	if d == nil {
		return
	}
	d.mu.Lock()
	servers := d.servers
	d.servers = map[*Server]bool{}
	d.mu.Unlock()
	for s := range servers {
		s.Close()
	}
}

// prepare calls add, which puts a network on the device, after the device has passed the check of a key. It reports
// whether the network is there. A device that computes other bits is lost. One without room is not: it may have other
// networks, and it warns once.
func (d *Device) prepare(key string, check, add func() error) bool {
	if d.Lost() != nil {
		return false
	}
	err := d.card.Check(key, check)
	if err == nil {
		err = add()
	}
	switch {
	case err == nil:
		return true
	case errors.Is(err, errBits):
		d.card.Lose(err)
	case d.Lost() == nil:
		d.told.Do(func() { d.card.Warn(fmt.Errorf("%w: the processor computes instead", err)) })
	}
	return false
}

// sample calls compare, which computes a result of the device again on some cores, if it must or if the processor has
// time for it. It loses the device at a difference, and returns why the device is lost.
func (d *Device) sample(must bool, cores int, compare func() error) error {
	d.mu.Lock()
	expected := d.last
	due := must || float64(d.spent+expected) <= sampleShare*float64(processorTime()-d.opened)
	if due {
		d.spent += expected
	}
	d.mu.Unlock()
	if err := d.Lost(); err != nil || !due {
		return err
	}
	start := time.Now()
	err := compare()
	d.mu.Lock()
	d.last = time.Since(start) * time.Duration(cores)
	d.spent += d.last - expected
	d.mu.Unlock()
	if err != nil {
		return d.card.Lose(fmt.Errorf("%w: %w", errBits, err))
	}
	return nil
}

var started = time.Now()

// processorTime returns the time that this process has used, or that has passed where the system does not tell.
func processorTime() time.Duration { return cmp.Or(parallel.CPUTime(), time.Since(started)) }

// errBits is wrapped by what is said of a device that fails a comparison.
var errBits = errors.New("it computes other bits than this processor")

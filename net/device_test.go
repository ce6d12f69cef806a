package net

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"tengen/internal/fulltest"
	"tengen/internal/gpu"
	"tengen/internal/kernel"
	"tengen/internal/random"
)

// openDevice opens the first device of a driver. Without one it skips the test.
func openDevice(t *testing.T, d gpu.Driver) *gpu.Device {
	t.Helper()
	if kernel.Name() == "go" {
		t.Skip("plain Go rounds otherwise than devices")
	}
	all, err := gpu.List(d)
	if err != nil {
		t.Skip(err)
	}
	device, err := gpu.Open(d, all[0], func(error) {})
	if err != nil {
		t.Fatal(err)
	}
	return device
}

func wrap(d *gpu.Device) *Device {
	wrapped, _ := opened(d, nil)
	return wrapped
}

// shippedNetworks returns the networks that come with tengen, by file.
func shippedNetworks(t *testing.T) map[string]*Weights {
	t.Helper()
	networks := map[string]*Weights{}
	models, err := filepath.Glob("../checkpoints/pretrained/*.safetensors")
	if err != nil || len(models) == 0 {
		t.Fatal("no models", err)
	}
	for _, file := range models {
		m, err := LoadModel(file)
		if err != nil {
			t.Fatal(err)
		}
		networks[filepath.Base(file)] = m.Weights
	}
	return networks
}

// A device's outputs have the processor's bits: of all networks that come with tengen and of all architectures, in
// batches of all sizes, also after new weights.
func TestDeviceBits(t *testing.T) {
	d := openDevice(t, gpu.OpenCL)
	networks := shippedNetworks(t)
	for _, a := range architectures {
		networks[a.name] = randomWeights(a, 3)
	}
	for name, w := range networks {
		if testing.Short() && name != "connect4-quick.safetensors" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			const batch = 130
			server := NewServer(wrap(d), w, batch)
			defer server.Close()
			here, there := NewInference(w, batch), server.client(batch)
			rng := random.New(1, random.Test)
			for _, rows := range []int{batch, 1, 7, 64} {
				for i := range rows {
					for j := range here.Input(i) {
						x := float32(rng.IntN(2))
						here.Input(i)[j], there.Input(i)[j] = x, x
					}
				}
				here.Forward(rows)
				there.Forward(rows)
				if server.board == nil || d.Lost() != nil {
					t.Fatal(d.Lost())
				}
				for i := range rows {
					if got, want := fmt.Sprint(bits(there.Inference, i)), fmt.Sprint(bits(here, i)); got != want {
						t.Fatalf("row %d of %d has %s, want %s", i, rows, got, want)
					}
				}
			}
		})
	}
}

// Evaluators that share a device's network get their own outputs, when one computes for all and when the batch is too
// small for that.
func TestDeviceIsShared(t *testing.T) {
	d := openDevice(t, gpu.OpenCL)
	a := architectures[0]
	w := randomWeights(a, 3)
	rng := random.New(1, random.Test)
	server := NewServer(wrap(d), w, 6)
	defer server.Close()
	var here []*Inference
	var there []*client
	for i := range 3 {
		here, there = append(here, NewInference(w, 4)), append(there, server.client(4))
		for j := range here[i].planes {
			x := float32(rng.IntN(2))
			here[i].planes[j], there[i].planes[j] = x, x
		}
		here[i].Forward(i + 2)
	}
	device := server.board
	for _, i := range []int{1, 2} {
		there[i].ask(i + 2)
		device.waiting = append(device.waiting, &there[i].request)
	}
	there[0].Forward(2)
	if len(device.waiting) > 0 || !there[1].request.done || !there[2].request.done {
		t.Fatal("not all requests are answered")
	}
	for i := range here {
		for row := range i + 2 {
			got, want := bits(there[i].Inference, row), bits(here[i], row)
			if i > 0 { // only the owner of a request applies tanh
				got[0], want[0] = 0, 0
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("evaluator %d, row %d: %x, want %x", i, row, got, want)
			}
		}
	}
}

// openQuickly is openDevice, but a processor's compiler takes less time.
func openQuickly(t *testing.T, o otherwise) *gpu.Device {
	t.Helper()
	o.Driver = gpu.OpenCL
	if !openDevice(t, gpu.OpenCL).GPU {
		o.options += " -cl-opt-disable"
	}
	return openDevice(t, o)
}

// A step on a device has the processor's bits, for all architectures with auxiliary heads.
func TestDeviceGradients(t *testing.T) {
	d := openQuickly(t, otherwise{})
	for i, a := range architectures {
		if testing.Short() && a.name != "any size, vectors" {
			continue
		}
		a := withAuxiliary(a, 1, 1)
		t.Run(a.name, func(t *testing.T) {
			if err := checkTraining(d, a.cfg, a.shape, 18, 1+i%2*3); err != nil {
				t.Error(err)
			}
		})
	}
}

// The same for all networks that come with tengen, as they were trained, in batches of 64 and 256. A processor that stands for
// a card needs longer for the largest than a device may take for an answer.
func TestStepOfEachModelOnACard(t *testing.T) {
	fulltest.Only(t)
	if !openDevice(t, gpu.OpenCL).GPU {
		t.Skip("there is no graphics card")
	}
	for name, w := range shippedNetworks(t) {
		cfg := w.Config
		cfg.ReplyWeight, cfg.OccupancyWeight = 0.15, 1.5
		for _, rows := range []int{64, 256} {
			t.Run(fmt.Sprint(name, " ", rows), func(t *testing.T) {
				if err := checkTraining(openQuickly(t, otherwise{}), cfg, w.Shape, rows, 1); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// bits returns a row's outputs.
func bits(inf *Inference, row int) (list []uint32) {
	for _, x := range append([]float32{inf.Value(row)}, inf.Logits(row)...) {
		list = append(list, math.Float32bits(x))
	}
	return list
}

// otherwise is a driver that compiles another program.
type otherwise struct {
	gpu.Driver
	options  string
	old, by  string // in the source
	training bool   // which the change concerns
}

// Build compiles the program with the changes.
func (o otherwise) Build(context, device gpu.Handle, source, options string) (gpu.Handle, error) {
	changed := source
	if o.old != "" {
		changed = strings.ReplaceAll(source, o.old, o.by)
		if changed == source {
			panic("the source has no " + o.old)
		}
	}
	return o.Driver.Build(context, device, changed, options+o.options)
}

var checks = map[string]func(*gpu.Device, Config, Shape) error{
	"evaluation": checkDevice,
	"training":   func(d *gpu.Device, cfg Config, shape Shape) error { return checkTraining(d, cfg, shape, checkRows, 1) },
}

// checkDevice and checkTraining accept a device that computes as this processor does, and notice compilers and programs
// that do not.
func TestCheckDevice(t *testing.T) {
	a := architectures[0]
	for _, b := range architectures {
		if b.name == "any size, vectors" {
			a = b
		}
	}
	a = withAuxiliary(a, 1, 1)
	for name, check := range checks {
		if err := check(openDevice(t, gpu.OpenCL), a.cfg, a.shape); err != nil {
			t.Fatal(name, err)
		}
	}
	for name, driver := range map[string]otherwise{
		"denormals to zero":      {options: " -cl-denorms-are-zero"},
		"relaxed math":           {options: " -cl-fast-relaxed-math"},
		"products not fused":     {old: "FUSED(x, y, sum) fma(x, y, sum)", by: "FUSED(x, y, sum) ((sum) + (x) * (y))"},
		"sums in another order":  {old: "for (int t = 0; t < n; t++)", by: "for (int t = n - 1; t >= 0; t--)"},
		"negative zero lost":     {old: "x < 0.0f ? 0.0f : x", by: "x <= 0.0f ? 0.0f : x"},
		"NaN lost":               {old: "x < 0.0f ? 0.0f : x", by: "x > 0.0f ? x : 0.0f"},
		"the edge is not padded": {old: "row < HEIGHT && column >= 0", by: "row < HEIGHT && column >= -1"},
		// In gradients alone.
		"masks lost":           {old: "!(inputs[at] > 0.0f)", by: "false", training: true},
		"tiles in other order": {old: "order[n] : n", by: "order[last - 1 - n + ranges[(p * parts + part) * 2]] : n", training: true},
	} {
		t.Run(name, func(t *testing.T) {
			check, open := checks["evaluation"], openDevice
			if driver.training {
				check, open = checks["training"], func(t *testing.T, d gpu.Driver) *gpu.Device { return openQuickly(t, d.(otherwise)) }
			}
			driver.Driver = gpu.OpenCL
			if err := check(open(t, driver), a.cfg, a.shape); err == nil || !strings.Contains(err.Error(), "computes other bits") {
				t.Errorf("the device is accepted: %v", err)
			}
		})
	}
}

// A device that stops answering while it is checked is not said to compute other bits.
func TestCheckOfDeviceThatIsLost(t *testing.T) {
	a := withAuxiliary(architectures[0], 1, 1)
	for name, check := range checks {
		err := check(openDevice(t, dying{gpu.OpenCL, new(atomic.Int64)}), a.cfg, a.shape)
		if err == nil || !strings.Contains(err.Error(), "the device is gone") || strings.Contains(err.Error(), "other bits") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// dying is a driver whose devices fail after 40 launches: once they have a network, but not its results.
type dying struct {
	gpu.Driver
	launches *atomic.Int64
}

func (d dying) Launch(queue, kernel gpu.Handle, global, local [3]int) error {
	if d.launches.Add(1) > 40 {
		return errors.New("the device is gone")
	}
	return d.Driver.Launch(queue, kernel, global, local)
}

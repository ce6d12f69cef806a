package bench

import (
	"errors"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tengen/internal/gpu"
	"tengen/internal/kernel"
	"tengen/run/runtest"
)

// hours says that a run takes long, however fast it is.
func hours(Forecast) time.Duration { return 10 * time.Hour }

// needDevice skips the test if OpenCL has no device here, or another arithmetic.
func needDevice(t *testing.T) {
	t.Helper()
	if _, err := gpu.List(gpu.OpenCL); err != nil {
		t.Skip(err)
	}
	if kernel.Name() == "go" {
		t.Skip("plain Go rounds otherwise than devices")
	}
}

// cards is OpenCL whose devices are graphics cards. If left is not nil, they fail after that many launches.
type cards struct {
	gpu.Driver
	left *atomic.Int64
}

func (c cards) Devices() ([]gpu.Info, error) {
	all, err := c.Driver.Devices()
	for i := range all {
		all[i].GPU = true
	}
	return all, err
}

func (c cards) Launch(queue, kernel gpu.Handle, global, local [3]int) error {
	if c.left != nil && c.left.Add(-1) < 0 {
		return errors.New("the device is gone")
	}
	return c.Driver.Launch(queue, kernel, global, local)
}

// With auto, a run measures a card and says what it found.
func TestDeviceIsMeasured(t *testing.T) {
	needDevice(t)
	defer func(d gpu.Driver) { gpu.OpenCL = d }(gpu.OpenCL)
	gpu.OpenCL = cards{Driver: gpu.OpenCL}
	cfg := runtest.Config()
	training := runtest.Train(t, cfg, filepath.Join(t.TempDir(), "run"), nil)
	defer training.Close()
	plan, err := NewPlan(t.Context(), cfg, nil, hours, 1, func(err error) { t.Log(err) })
	noError(t, err)
	training.Use(plan.Plays, plan.Learns)
	if plays := strings.Contains(plan.Text, "the processor plays"); !strings.Contains(plan.Text, "samples per second") || plays == (training.Device != "") {
		t.Errorf("%q, and the device is %q", plan.Text, training.Device)
	}
}

// A benchmark with auto says why a card that fails has no speeds. If the card is named, it fails.
func TestBenchOfADeviceThatFails(t *testing.T) {
	needDevice(t)
	defer func(d gpu.Driver) { gpu.OpenCL = d }(gpu.OpenCL)
	driver := gpu.OpenCL
	for _, name := range []string{"auto", "gpu"} {
		left := new(atomic.Int64)
		left.Store(700) // after its test
		gpu.OpenCL = cards{driver, left}
		cfg := runtest.Config()
		cfg.Compute.Device = name
		report, err := Measure(t.Context(), cfg, time.Millisecond, func(string) {})
		if name == "gpu" {
			if err == nil || !strings.Contains(err.Error(), "the device is gone") {
				t.Errorf("error %v", err)
			}
			continue
		}
		noError(t, err)
		if !strings.Contains(report.DeviceProblem, report.Device+": the device is gone") || report.Device == "" || report.DeviceTrainSamples != 0 {
			t.Errorf("device %q, problem %q, %v samples", report.Device, report.DeviceProblem, report.DeviceTrainSamples)
		}
	}
}

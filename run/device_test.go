package run

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tengen/internal/gpu"
	"tengen/internal/kernel"
	"tengen/net"
	"tengen/replay"
	"tengen/selfplay"
	"tengen/selfplay/cluster"
	"tengen/train"
	"tengen/train/checkpoint"
)

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

// modelOf returns a run's model.
func modelOf(t *testing.T, dir string, iteration int) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, checkpoint.ModelName(iteration)))
	noError(t, err)
	return string(content)
}

// A run has the same models on the processor, on a device, and on either in turn.
func TestModelsOnADevice(t *testing.T) {
	needDevice(t)
	const iterations = 3
	train := func(dir, device string, iterations int) {
		t.Helper()
		cfg := tinyConfig(t)
		cfg.Compute.Device, cfg.Train.Iterations = device, iterations
		trainRun(t, TrainConfig{Config: cfg, Dir: dir, Warn: func(err error) { t.Error(err) }})
	}
	here, there, both := filepath.Join(t.TempDir(), "here"), filepath.Join(t.TempDir(), "there"), filepath.Join(t.TempDir(), "both")
	train(here, "cpu", iterations)
	train(there, "gpu", iterations)
	for i := range iterations {
		train(both, []string{"gpu", "cpu"}[i%2], i+1)
	}
	for i := range iterations + 1 {
		if want := modelOf(t, here, i); modelOf(t, there, i) != want || modelOf(t, both, i) != want {
			t.Errorf("model %d differs", i)
		}
	}
}

// none is OpenCL on a machine without it.
type none struct{ gpu.Driver }

func (none) Devices() ([]gpu.Info, error) { return nil, errors.New("there is no OpenCL") }

// A run that names a device which is not there does not begin. With auto it goes without.
func TestNoDevice(t *testing.T) {
	defer func(d gpu.Driver) { gpu.OpenCL = d }(gpu.OpenCL)
	gpu.OpenCL = none{}
	dir := filepath.Join(t.TempDir(), "run")
	cfg := tinyConfig(t)
	cfg.Compute.Device = "gpu"
	_, err := Train(t.Context(), TrainConfig{Config: cfg, Dir: dir})
	wantError(t, err, "compute.device: there is no OpenCL", false)
	if _, err := os.Stat(dir); err == nil {
		t.Error("the run has begun")
	}
	cfg.Compute.Device = "auto"
	training, err := Train(t.Context(), TrainConfig{Config: cfg, Dir: dir})
	noError(t, err)
	defer training.Close()
	plan, err := NewPlan(t.Context(), cfg, nil, hours, 1, training.cfg.Warn)
	if training.Use(plan.Choice); plan.Text != "" || training.Device != "" || err != nil {
		t.Errorf("%q, %q, %v", plan.Text, training.Device, err)
	}
}

// cards is OpenCL whose devices are graphics cards.
type cards struct{ gpu.Driver }

func (c cards) Devices() ([]gpu.Info, error) {
	all, err := c.Driver.Devices()
	for i := range all {
		all[i].GPU = true
	}
	return all, err
}

// With auto, a run measures a card and says what it found.
func TestDeviceIsMeasured(t *testing.T) {
	needDevice(t)
	defer func(d gpu.Driver) { gpu.OpenCL = d }(gpu.OpenCL)
	gpu.OpenCL = cards{gpu.OpenCL}
	training, err := Train(t.Context(), TrainConfig{Config: tinyConfig(t), Dir: filepath.Join(t.TempDir(), "run")})
	noError(t, err)
	defer training.Close()
	plan, err := NewPlan(t.Context(), training.cfg.Config, nil, hours, 1, training.cfg.Warn)
	noError(t, err)
	training.Use(plan.Choice)
	if plays := strings.Contains(plan.Text, "the processor plays"); !strings.Contains(plan.Text, "samples per second") || plays == (training.Device != "") {
		t.Errorf("%q, and the device is %q", plan.Text, training.Device)
	}
}

// hours says that a run takes long, however fast it is.
func hours(train.Forecast) time.Duration { return 10 * time.Hour }

// faulty is OpenCL with a device that fails.
type faulty struct {
	gpu.Driver
	launches        *atomic.Int64 // left before launches of the kernel fail
	kernel          string        // its name; "": any
	failing         map[gpu.Handle]bool
	compile, memory error
	changed         bool // computes otherwise
}

func (f faulty) Build(context, device gpu.Handle, source, options string) (gpu.Handle, error) {
	if f.changed {
		source = strings.Replace(source, "x < 0.0f ? 0.0f : x", "x < 0.5f ? 0.0f : x", 1)
	}
	program, err := f.Driver.Build(context, device, source, options)
	return program, errors.Join(err, f.compile)
}

func (f faulty) Alloc(context gpu.Handle, bytes int) (gpu.Handle, error) {
	if f.memory != nil {
		return 0, f.memory
	}
	return f.Driver.Alloc(context, bytes)
}

func (f faulty) Kernel(program gpu.Handle, name string) (gpu.Handle, error) {
	k, err := f.Driver.Kernel(program, name)
	f.failing[k] = f.kernel == "" || name == f.kernel
	return k, err
}

func (f faulty) Launch(queue, kernel gpu.Handle, global, local [3]int) error {
	if f.launches != nil && f.failing[kernel] && f.launches.Add(-1) < 0 {
		return errors.New("the device is gone")
	}
	return f.Driver.Launch(queue, kernel, global, local)
}

// A failing device causes a warning, and the models of the run stay the same.
func TestRunWithoutItsDevice(t *testing.T) {
	needDevice(t)
	cfg := tinyConfig(t)
	here := filepath.Join(t.TempDir(), "here")
	trainRun(t, TrainConfig{Config: cfg, Dir: here})
	defer func(d gpu.Driver) { gpu.OpenCL = d }(gpu.OpenCL)
	driver := gpu.OpenCL
	for name, test := range map[string]struct {
		faulty
		left int64 // launches before they fail: more than the device's test takes
		want string
	}{
		"compiler":    {faulty{compile: errors.New("no compiler")}, 0, "the driver cannot compile the kernels: no compiler"},
		"memory":      {faulty{memory: errors.New("too little")}, 0, "of its memory: too little"},
		"other bits":  {faulty{changed: true}, 0, "it computes other bits than this processor"},
		"in a game":   {faulty{launches: new(atomic.Int64)}, 1500, "the device is gone"},
		"in a step":   {faulty{launches: new(atomic.Int64), kernel: "outer1"}, 80, "the device is gone"},
		"in a filter": {faulty{launches: new(atomic.Int64), kernel: "transformed_filter"}, 60, "the device is gone"},
	} {
		t.Run(name, func(t *testing.T) {
			f := test.faulty
			f.Driver, f.failing = driver, map[gpu.Handle]bool{}
			if f.launches != nil {
				f.launches.Store(test.left)
			}
			gpu.OpenCL = f
			dir := filepath.Join(t.TempDir(), "there")
			cfg.Compute.Device = "gpu"
			warnings := []string{""}
			trainRun(t, TrainConfig{Config: cfg, Dir: dir, Warn: func(err error) { warnings = append(warnings, err.Error()) }})
			last := warnings[len(warnings)-1] // another one says that it does not learn either
			if len(warnings) > 3 || !strings.Contains(last, test.want) || !strings.HasSuffix(last, "the processor computes instead") {
				t.Errorf("warnings %q", warnings)
			}
			if modelOf(t, dir, cfg.Train.Iterations) != modelOf(t, here, cfg.Train.Iterations) {
				t.Error("the model differs")
			}
		})
	}
}

// A worker with a device plays the games that a trainer without one plays to verify them, with the same checksums of all
// evaluations.
func TestWorkerWithADevice(t *testing.T) {
	needDevice(t)
	cfg := tinyConfig(t)
	e := open(t, cfg.Game)
	device, err := net.OpenDevice("gpu", func(err error) { t.Error(err) })
	noError(t, err)
	defer device.Close()
	settings := cluster.Settings{Game: cfg.Game, Seed: cfg.Seed, Shape: e.shape(), Search: cfg.Search, Selfplay: cfg.Selfplay}
	var games [2]map[uint64]string
	for i, d := range []*net.Device{nil, device} {
		player, err := playerFor(e, settings, 1, d)
		noError(t, err)
		games[i] = map[uint64]string{}
		_, err = player.Play(t.Context(), 0, net.NewWeights(cfg.Net, e.shape(), 1), selfplay.Numbers([]uint64{3, 4, 5}), func(r *replay.Record) error {
			b, err := r.MarshalBinary()
			games[i][r.Number] = string(b)
			return err
		})
		noError(t, err)
	}
	if len(games[0]) != 3 || fmt.Sprint(games[0]) != fmt.Sprint(games[1]) {
		t.Error("the games differ")
	}
}

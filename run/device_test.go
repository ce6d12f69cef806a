package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

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

// A run that names a device which is not there does not begin.
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
}

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

// erring is OpenCL with a device that errs while it is told to.
type erring struct {
	gpu.Driver
	now *atomic.Bool
	err func(data []byte) // changes what has been read
}

func (e erring) Read(queue, memory gpu.Handle, data []byte) error {
	before := slices.Clone(data)
	err := e.Driver.Read(queue, memory, data)
	if e.now.Load() {
		if e.err == nil { // reads nothing
			copy(data, before)
		} else {
			e.err(data)
		}
	}
	return err
}

func flipBit(data []byte) { data[len(data)-4] ^= 1 }

func notNumbers(data []byte) {
	for i := range data {
		data[i] = 0xff
	}
}

// A device that errs after its test, in games or in steps, leaves the models as they are without it, after one warning.
// So it does if the process is killed before the iteration is committed.
func TestRunWithADeviceThatErrs(t *testing.T) {
	needDevice(t)
	defer func(d gpu.Driver) { gpu.OpenCL = d }(gpu.OpenCL)
	driver := gpu.OpenCL
	for ahead := range 2 {
		cfg := tinyConfig(t)
		cfg.Train.Iterations, cfg.Selfplay.Ahead = 3, ahead
		here := filepath.Join(t.TempDir(), "here")
		trainRun(t, TrainConfig{Config: cfg, Dir: here})
		cfg.Compute.Device = "gpu"
		for name, fault := range map[string]func([]byte){"a bit": flipBit, "zeros": func(b []byte) { clear(b) }, "no numbers": notNumbers, "nothing": nil} {
			for _, phase := range []train.Phase{train.PhaseSelfPlay, train.PhaseTrain} {
				for _, killed := range []bool{false, true} {
					t.Run(fmt.Sprintf("%s, %s, ahead %d, killed %v", name, phase, ahead, killed), func(t *testing.T) {
						now := new(atomic.Bool)
						gpu.OpenCL = erring{driver, now, fault}
						var warnings []string
						ctx, kill := context.WithCancel(t.Context())
						defer kill()
						c := TrainConfig{Config: cfg, Dir: filepath.Join(t.TempDir(), "there"), Warn: func(err error) { warnings = append(warnings, err.Error()) }}
						c.Observe = func(e train.Event) {
							if e.Iteration == 2 && e.Phase == phase {
								now.Store(true)
							}
							if killed && e.Iteration == 2 && (e.Phase == train.PhasePublish || e.Phase == train.PhaseSelfPlay && e.Done == 4) {
								kill()
							}
						}
						training, err := Train(ctx, c)
						noError(t, err)
						if err := errors.Join(training.Run(ctx), training.Close()); killed == (err == nil) {
							t.Fatal(err)
						}
						if killed {
							now.Store(false)
							trainRun(t, c)
						} else if len(warnings) != 1 || !strings.Contains(warnings[0], "it computes other bits than this processor") ||
							!strings.HasSuffix(warnings[0], "the processor computes instead") {
							t.Errorf("warnings %q", warnings)
						}
						for i := range cfg.Train.Iterations + 1 {
							if modelOf(t, c.Dir, i) != modelOf(t, here, i) {
								t.Errorf("model %d differs; warnings %q", i, warnings)
							}
						}
					})
				}
			}
		}
	}
}

// A worker with a device plays the games that a trainer without one plays to verify them, with the same checksums of all
// evaluations, even if the device errs.
func TestWorkerWithADevice(t *testing.T) {
	needDevice(t)
	cfg := tinyConfig(t)
	e := open(t, cfg.Game)
	device, err := net.OpenDevice("gpu", func(err error) { t.Error(err) })
	noError(t, err)
	defer device.Close()
	settings := cluster.Settings{Game: cfg.Game, Seed: cfg.Seed, Shape: e.Shape(), Search: cfg.Search, Selfplay: cfg.Selfplay}
	driver, now := gpu.OpenCL, new(atomic.Bool)
	defer func() { gpu.OpenCL = driver }()
	gpu.OpenCL = erring{driver, now, flipBit}
	lost := 0
	faulty, err := net.OpenDevice("gpu", func(error) { lost++ })
	noError(t, err)
	defer faulty.Close()
	var games [3]map[uint64]string
	for i, d := range []*net.Device{nil, device, faulty} {
		player, err := playerFor(e, settings, 1, d)
		noError(t, err)
		games[i] = map[uint64]string{}
		next := selfplay.Numbers([]uint64{3, 4, 5})
		_, err = player.Play(t.Context(), 0, net.NewWeights(cfg.Net, e.Shape(), 1), func() (uint64, bool) {
			now.Store(d == faulty) // after the device's test
			return next()
		}, replay.SinkFunc(func(_ string, r *replay.Record) error {
			b, err := r.MarshalBinary()
			games[i][r.Number] = string(b)
			return err
		}))
		noError(t, err)
	}
	if len(games[0]) != 3 || fmt.Sprint(games[0]) != fmt.Sprint(games[1]) || fmt.Sprint(games[0]) != fmt.Sprint(games[2]) {
		t.Error("the games differ")
	}
	if lost != 1 {
		t.Errorf("the faulty device was lost %d times", lost)
	}
}

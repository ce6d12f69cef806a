package run

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tengen/internal/gpu"
	"tengen/internal/kernel"
	"tengen/net"
	"tengen/train"
	"tengen/train/checkpoint"
)

// listed is OpenCL with some cards, which are only opened.
type listed struct {
	gpu.Driver
	cards []string
}

func (l listed) Devices() (all []gpu.Info, err error) {
	for _, name := range l.cards {
		all = append(all, gpu.Info{Name: name, GPU: true})
	}
	return all, nil
}

func (l listed) Context(gpu.Handle) (gpu.Handle, error) { return 1, nil }

// withSpeeds is a game whose forecasts and speeds are given, by the device's name.
type withSpeeds struct {
	Game
	speed map[string]speeds
	asked *[]string // devices measured
}

func (g withSpeeds) speeds(ctx context.Context, _ Config, d *net.Device) (speeds, error) {
	name := nameOf(d)
	*g.asked = append(*g.asked, name)
	s, ok := g.speed[name]
	if !ok {
		return s, errors.New("it fails")
	}
	return s, nil
}

// Forecast says that an iteration learns from 1,000 samples.
func (g withSpeeds) Forecast(_ context.Context, _ Config, c Choice, _ time.Duration) (train.Forecast, error) {
	seconds := 1000 / g.speed[nameOf(c.Learns)].samples
	return train.Forecast{First: seconds, Grown: seconds}, nil
}

func nameOf(d *net.Device) string {
	if d == nil {
		return ""
	}
	return d.Name()
}

func TestPlan(t *testing.T) {
	if kernel.Name() == "go" {
		t.Skip("plain Go rounds otherwise than devices")
	}
	defer func(d gpu.Driver) { gpu.OpenCL = d }(gpu.OpenCL)
	gpu.OpenCL = listed{cards: []string{"weak", "broken", "strong"}}
	cfg := tinyConfig(t)
	cfg.Compute.Device = "auto"
	speed := map[string]speeds{"": {1000, 100}, "weak": {1100, 110}, "strong": {9000, 500}}
	past := []checkpoint.Metrics{{Iteration: 1, Seconds: checkpoint.Seconds{Total: 2}}} // as a card has made them
	rest := func(f train.Forecast) time.Duration { return f.Left(1, 41) }
	for name, test := range map[string]struct {
		past          []checkpoint.Metrics
		device        string
		left          func(train.Forecast) time.Duration
		plays, learns string
		seconds       float64 // of an iteration
		asked         string
	}{
		"every card is measured":             {nil, "auto", hours, "strong", "strong", 2, ",weak,broken,strong"},
		"a run that a card has made fast":    {past, "auto", rest, "strong", "strong", 2, ",weak,broken,strong"},
		"a run that the processor ends soon": {nil, "auto", func(train.Forecast) time.Duration { return 50 * time.Second }, "", "", 10, ""},
		"the processor alone":                {past, "cpu", hours, "", "", 2, ""},
	} {
		var asked []string
		cfg.Compute.Device = test.device
		p, err := newPlan(t.Context(), withSpeeds{open(t, cfg.Game), speed, &asked}, cfg, test.past, test.left, 1, func(error) {})
		noError(t, err)
		if nameOf(p.Plays) != test.plays || nameOf(p.Learns) != test.learns || p.Grown != test.seconds || strings.Join(asked, ",") != test.asked {
			t.Errorf("%s: %q plays, %q learns, %v seconds an iteration, %q were measured", name, nameOf(p.Plays), nameOf(p.Learns), p.Grown, asked)
		}
	}
	// One card may play and another learn, or none.
	speed["weak"], speed["strong"] = speeds{5000, 110}, speeds{1100, 500}
	var asked []string
	cfg.Compute.Device = "auto"
	p, err := newPlan(t.Context(), withSpeeds{open(t, cfg.Game), speed, &asked}, cfg, nil, hours, 1, func(error) {})
	noError(t, err)
	if nameOf(p.Plays) != "weak" || nameOf(p.Learns) != "strong" || !strings.Contains(p.Text, "weak plays") || !strings.Contains(p.Text, "strong learns") {
		t.Errorf("%q plays, %q learns: %s", nameOf(p.Plays), nameOf(p.Learns), p.Text)
	}
}

// A card that compiles for ever costs no more than the time for choosing.
func TestPlanIsLimited(t *testing.T) {
	if kernel.Name() == "go" {
		t.Skip("plain Go rounds otherwise than devices")
	}
	defer func(d gpu.Driver) { gpu.OpenCL = d }(gpu.OpenCL)
	gpu.OpenCL = listed{cards: []string{"slow", "strong"}}
	cfg := tinyConfig(t)
	g := withSpeeds{open(t, cfg.Game), map[string]speeds{"": {1000, 100}, "strong": {9000, 500}}, new([]string)}
	synctest.Test(t, func(t *testing.T) {
		h := hanging{g, make(chan struct{})}
		defer close(h.end)
		choice, err := choose(t.Context(), h, cfg, net.Cards(func(error) {}), time.Minute)
		noError(t, err)
		if choice.Plays != nil || !strings.Contains(choice.Text, "slow could not be measured in time") || !strings.Contains(choice.Text, "no time to measure strong") {
			t.Errorf("%+v", choice)
		}
	})
}

// hanging never measures the card "slow".
type hanging struct {
	withSpeeds
	end chan struct{}
}

func (h hanging) speeds(ctx context.Context, cfg Config, d *net.Device) (speeds, error) {
	if nameOf(d) == "slow" {
		<-h.end
	}
	return h.withSpeeds.speeds(ctx, cfg, d)
}

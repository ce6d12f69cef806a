package bench

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
	"tengen/run/runtest"
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

// given returns a planner whose forecasts and speeds are given, by the device's name. It writes down which devices it
// measures.
func given(speed map[string]speeds, asked *[]string) planner {
	return planner{
		speeds: func(_ context.Context, d *net.Device) (speeds, error) {
			*asked = append(*asked, nameOf(d))
			s, ok := speed[nameOf(d)]
			if !ok {
				return s, errors.New("it fails")
			}
			return s, nil
		},
		forecast: func(_, learns *net.Device) (Forecast, error) { // an iteration learns from 1,000 samples
			seconds := 1000 / speed[nameOf(learns)].samples
			return Forecast{First: seconds, Grown: seconds}, nil
		},
	}
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
	cfg := runtest.Config()
	cfg.Compute.Device = "auto"
	speed := map[string]speeds{"": {1000, 100}, "weak": {1100, 110}, "strong": {9000, 500}}
	past := []checkpoint.Metrics{{Iteration: 1, Seconds: checkpoint.Seconds{Total: 2}}} // as a card has made them
	rest := func(f Forecast) time.Duration { return f.Left(1, 41) }
	for name, test := range map[string]struct {
		past          []checkpoint.Metrics
		device        string
		left          func(Forecast) time.Duration
		plays, learns string
		seconds       float64 // of an iteration
		asked         string
	}{
		"every card is measured":             {nil, "auto", hours, "strong", "strong", 2, ",weak,broken,strong"},
		"a run that a card has made fast":    {past, "auto", rest, "strong", "strong", 2, ",weak,broken,strong"},
		"a run that the processor ends soon": {nil, "auto", func(Forecast) time.Duration { return 50 * time.Second }, "", "", 10, ""},
		"the processor alone":                {past, "cpu", hours, "", "", 2, ""},
	} {
		var asked []string
		cfg.Compute.Device = test.device
		p, err := given(speed, &asked).plan(t.Context(), cfg, test.past, test.left, func(error) {})
		noError(t, err)
		if nameOf(p.Plays) != test.plays || nameOf(p.Learns) != test.learns || p.Grown != test.seconds || strings.Join(asked, ",") != test.asked {
			t.Errorf("%s: %q plays, %q learns, %v seconds an iteration, %q were measured", name, nameOf(p.Plays), nameOf(p.Learns), p.Grown, asked)
		}
	}
	// One card may play and another learn, or none.
	speed["weak"], speed["strong"] = speeds{5000, 110}, speeds{1100, 500}
	var asked []string
	cfg.Compute.Device = "auto"
	p, err := given(speed, &asked).plan(t.Context(), cfg, nil, hours, func(error) {})
	noError(t, err)
	if nameOf(p.Plays) != "weak" || nameOf(p.Learns) != "strong" || !strings.Contains(p.Text, "weak plays") || !strings.Contains(p.Text, "strong learns") {
		t.Errorf("%q plays, %q learns: %s", nameOf(p.Plays), nameOf(p.Learns), p.Text)
	}
	gpu.OpenCL = listed{}
	if p, err = given(speed, &asked).plan(t.Context(), cfg, nil, hours, func(error) {}); p.Plays != nil || p.Learns != nil || p.Text != "" || err != nil {
		t.Errorf("without a card: %+v, %v", p, err)
	}
}

// A card that compiles for ever costs no more than the time for choosing.
func TestPlanIsLimited(t *testing.T) {
	if kernel.Name() == "go" {
		t.Skip("plain Go rounds otherwise than devices")
	}
	defer func(d gpu.Driver) { gpu.OpenCL = d }(gpu.OpenCL)
	gpu.OpenCL = listed{cards: []string{"slow", "strong"}}
	p := given(map[string]speeds{"": {1000, 100}, "strong": {9000, 500}}, new([]string))
	quick := p.speeds
	synctest.Test(t, func(t *testing.T) {
		end := make(chan struct{})
		defer close(end)
		p.speeds = func(ctx context.Context, d *net.Device) (speeds, error) { // never measures the card "slow"
			if nameOf(d) == "slow" {
				<-end
			}
			return quick(ctx, d)
		}
		var plan Plan
		err := p.choose(t.Context(), &plan, net.Cards(func(error) {}), time.Minute)
		noError(t, err)
		if plan.Plays != nil || !strings.Contains(plan.Text, "slow could not be measured in time") || !strings.Contains(plan.Text, "strong could not be measured in time") {
			t.Errorf("%+v", plan)
		}
	})
}

package bench

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"tengen/net"
	"tengen/run"
	"tengen/train/checkpoint"
)

// Plan is what computes the rest of a run, and how long that takes. A nil device stands for the processor.
type Plan struct {
	Plays, Learns *net.Device
	Text          string // what was measured, for people; "" if there was no choice
	Forecast
}

const (
	forChoosing = 0.05            // of a run's time that the choice of a device may take
	leastTime   = 3 * time.Second // below which there is no choice
	faster      = 1.2             // how much faster than the processor a card must be
)

// NewPlan forecasts the rest of a run. With compute.device auto it also measures the machine's graphics cards, if the
// processor needs more than a minute: a card plays if it evaluates a fifth more positions than the processor, and
// learns if it learns from a fifth more samples. past are the metrics of the run so far. left says how long the rest of
// the run takes by a forecast, which measures for about two windows. warn is called concurrently, during the plan and
// later, for problems of the chosen devices. Games and settings that cannot be measured are an error.
func NewPlan(ctx context.Context, cfg run.Config, past []checkpoint.Metrics, left func(Forecast) time.Duration, window time.Duration, warn func(error)) (Plan, error) {
	p := planner{
		forecast: func(plays, learns *net.Device) (Forecast, error) { return forecast(ctx, cfg, plays, learns, window) },
		speeds:   func(ctx context.Context, d *net.Device) (speeds, error) { return measureSpeeds(ctx, cfg, d) },
	}
	return p.plan(ctx, cfg, past, left, warn)
}

// planner makes a Plan of what it measures.
type planner struct {
	forecast func(plays, learns *net.Device) (Forecast, error)
	speeds   func(context.Context, *net.Device) (speeds, error) // of the device or, without one, the processor
}

func (m planner) plan(ctx context.Context, cfg run.Config, past []checkpoint.Metrics, left func(Forecast) time.Duration, warn func(error)) (p Plan, err error) {
	cards := sync.OnceValue(func() []*net.Device { // listed late: a driver may take its time
		if cfg.Compute.Device != "auto" {
			return nil
		}
		return net.Cards(warn)
	})
	if cfg.Cluster.Distributed() && len(cards()) == 0 { // the speed of workers is unknown
		return p, nil
	}
	f, known := KnownForecast(past, cfg.Train)
	if !known || len(cards()) > 0 { // a card may have made the past iterations fast
		named, err := cfg.Compute.Open(func(error) {})
		if err != nil {
			return p, err
		}
		if f, err = m.forecast(named, named); err != nil {
			return p, err
		}
	}
	p.Forecast = f
	budget := time.Duration(forChoosing * float64(left(f)))
	if budget < leastTime || len(cards()) == 0 {
		return p, nil
	}
	if err = m.choose(ctx, &p, cards(), budget); err == nil && (p.Plays != nil || p.Learns != nil) {
		p.Forecast, err = m.forecast(p.Plays, p.Learns)
	}
	return p, err
}

// choose measures this processor and then, within the budget, the cards, one after another.
func (m planner) choose(ctx context.Context, p *Plan, cards []*net.Device, budget time.Duration) error {
	here, err := m.speeds(ctx, nil)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	var found []string
	plays, learns := "the processor", "the processor"
	best := speeds{faster * here.positions, faster * here.samples}
	for _, card := range cards {
		there, done := m.measure(ctx, card)
		if card.Lost() != nil { // which it has said
			continue
		}
		if !done {
			found = append(found, card.Name()+" could not be measured in time")
			continue
		}
		found = append(found, fmt.Sprintf("%s evaluates %.0f positions and learns from %.0f samples per second", card.Name(), there.positions, there.samples))
		if there.positions >= best.positions {
			p.Plays, plays, best.positions = card, card.Name(), there.positions
		}
		if there.samples >= best.samples {
			p.Learns, learns, best.samples = card, card.Name(), there.samples
		}
	}
	if len(found) > 0 {
		p.Text = fmt.Sprintf("%s, the processor %.0f and %.0f: %s plays, %s learns", strings.Join(found, ", "), here.positions, here.samples, plays, learns)
	}
	return nil
}

// measure returns a card's speeds. done is false if that fails or ctx ends first: a driver may compile for minutes. The
// measurement then ends later.
func (m planner) measure(ctx context.Context, card *net.Device) (s speeds, done bool) {
	if ctx.Err() != nil {
		return s, false
	}
	measured := make(chan speeds, 1)
	go func() {
		defer close(measured)
		if there, err := m.speeds(ctx, card); err == nil {
			measured <- there
		}
	}()
	select {
	case s, done = <-measured:
	case <-ctx.Done():
	}
	return s, done
}

// speeds are what a run needs of a processor or a device, per second.
type speeds struct {
	positions float64 // evaluated, in batches as in self-play
	samples   float64 // learned from
}

func measureSpeeds(ctx context.Context, cfg run.Config, d *net.Device) (speeds, error) {
	m, err := newMeasurer(ctx, cfg, time.Second/2, func(string) {})
	if err != nil {
		return speeds{}, err
	}
	p := m.game.SelfPlay(cfg.Selfplay, cfg.Search, cfg.Seed)
	p.Use(d)
	servers := p.Servers(m.weights)
	defer p.Close()
	workers, games := p.Lockstep()
	positions := m.evaluations("", max(1, min(games, cfg.Train.GamesPerIteration/workers)), workers, servers...)
	return speeds{positions, m.training(d)}, m.err
}

package run

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"tengen/net"
	"tengen/train"
	"tengen/train/checkpoint"
)

// Choice is what computes a run. A nil Device stands for the processor.
type Choice struct {
	Plays, Learns *net.Device
	Text          string // what was measured, for people; "" if there was no choice
}

// Plan is what computes the rest of a run, and how long that takes.
type Plan struct {
	Choice
	train.Forecast
}

const (
	forChoosing = 0.05            // of a run's time that the choice of a device may take
	leastTime   = 3 * time.Second // below which there is no choice
	faster      = 1.2             // how much faster than the processor a card must be
)

// NewPlan forecasts the rest of a run. With compute.device auto it also measures the machine's graphics cards, if the
// processor needs more than a minute: a card plays if it evaluates a fifth more positions than the processor, and learns
// if it learns from a fifth more samples. past are the metrics of the run so far. left says how long the rest of the run
// takes by a forecast, which measures for about two windows. warn is called concurrently, during the plan and later, for
// problems of the chosen devices. Games and settings that cannot be measured are an error.
func NewPlan(ctx context.Context, cfg Config, past []checkpoint.Metrics, left func(train.Forecast) time.Duration, window time.Duration, warn func(error)) (Plan, error) {
	e, err := Open(cfg.Game)
	if err != nil {
		return Plan{}, err
	}
	return newPlan(ctx, e, cfg, past, left, window, warn)
}

func newPlan(ctx context.Context, e Game, cfg Config, past []checkpoint.Metrics, left func(train.Forecast) time.Duration, window time.Duration, warn func(error)) (p Plan, err error) {
	cards := sync.OnceValue(func() []*net.Device { // listed late: a driver may take its time
		if cfg.Compute.Device != "auto" {
			return nil
		}
		return net.Cards(warn)
	})
	if cfg.Cluster.Distributed() && len(cards()) == 0 { // the speed of workers is unknown
		return p, nil
	}
	f, known := train.KnownForecast(past)
	if !known || len(cards()) > 0 { // a card may have made the past iterations fast
		named, err := cfg.Compute.Open(func(error) {})
		if err != nil {
			return p, err
		}
		f, err = e.Forecast(ctx, cfg, Choice{Plays: named, Learns: named}, window)
		if err != nil {
			return p, err
		}
	}
	p.Forecast = f
	budget := time.Duration(forChoosing * float64(left(f)))
	if budget < leastTime || len(cards()) == 0 {
		return p, nil
	}
	if p.Choice, err = choose(ctx, e, cfg, cards(), budget); err == nil && (p.Plays != nil || p.Learns != nil) {
		p.Forecast, err = e.Forecast(ctx, cfg, p.Choice, window)
	}
	return p, err
}

// choose measures this processor and then the cards, one after another, while their measurements fit into the budget.
func choose(ctx context.Context, e Game, cfg Config, cards []*net.Device, budget time.Duration) (c Choice, err error) {
	start := time.Now()
	here, err := e.speeds(ctx, cfg, nil)
	if err != nil {
		return c, err
	}
	longest := time.Since(start)
	ctx, cancel := context.WithTimeout(ctx, budget-longest)
	defer cancel()
	var found []string
	plays, learns := "the processor", "the processor"
	best := speeds{faster * here.positions, faster * here.samples}
	for _, card := range cards {
		began := time.Now()
		if began.Sub(start)+longest > budget {
			found = append(found, "there is no time to measure "+card.Name())
			continue
		}
		there, done := measure(ctx, e, cfg, card)
		longest = max(longest, time.Since(began))
		if card.Lost() != nil { // which it has said
			continue
		}
		if !done {
			found = append(found, card.Name()+" could not be measured in time")
			continue
		}
		found = append(found, fmt.Sprintf("%s evaluates %.0f positions and learns from %.0f samples per second", card.Name(), there.positions, there.samples))
		if there.positions >= best.positions {
			c.Plays, plays, best.positions = card, card.Name(), there.positions
		}
		if there.samples >= best.samples {
			c.Learns, learns, best.samples = card, card.Name(), there.samples
		}
	}
	if len(found) > 0 {
		c.Text = fmt.Sprintf("%s, the processor %.0f and %.0f: %s plays, %s learns", strings.Join(found, ", "), here.positions, here.samples, plays, learns)
	}
	return c, nil
}

// measure returns a card's speeds. done is false if that fails or ctx ends first: a driver may compile for minutes. The
// measurement then ends later.
func measure(ctx context.Context, e Game, cfg Config, card *net.Device) (s speeds, done bool) {
	measured := make(chan speeds, 1)
	go func() {
		defer close(measured)
		if there, err := e.speeds(ctx, cfg, card); err == nil {
			measured <- there
		}
	}()
	select {
	case s, done = <-measured:
	case <-ctx.Done():
	}
	return s, done
}

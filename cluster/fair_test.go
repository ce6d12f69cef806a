package cluster

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"tengen/cluster/natslog"
	"tengen/internal/fulltest"
	"tengen/internal/random"
	"tengen/replay/logtest"
)

// simulated is a worker in a simulation of a quota. It plays as many games at once as it has seats.
type simulated struct {
	name    string
	seats   int
	length  time.Duration           // of a game on average; one has half of it to one and a half
	says    func(*simulated) demand // nil: the truth
	refused bool                    // all of its games come too late
	leases  int                     // games that it may begin
	ends    []time.Time             // of those under way
}

// truth is what an honest worker says of itself.
func (w *simulated) truth() demand {
	return demand{Open: len(w.ends), Unused: w.leases, Seats: w.seats, Rate: float64(w.seats) / w.length.Seconds()}
}

// play plays until now, and returns how many games were finished.
func (w *simulated) play(now time.Time, rng *rand.Rand) (finished int) {
	before := len(w.ends)
	w.ends = slices.DeleteFunc(w.ends, func(end time.Time) bool { return !end.After(now) })
	finished = before - len(w.ends)
	for w.leases > 0 && len(w.ends) < w.seats {
		w.ends = append(w.ends, now.Add(w.length/2+time.Duration(rng.Int64N(int64(w.length)))))
		w.leases--
	}
	return finished
}

// simulate lets workers play for a run with iterations of n games and a backlog of one, for six minutes, and returns how many games of
// each were taken in the last three.
func simulate(n int, workers []*simulated) map[string]int {
	const step, length = 200 * time.Millisecond, 6 * time.Minute
	q, rng, taken, late := newQuota(), random.New(1, random.Test), 0, map[string]int{}
	for passed := time.Duration(0); passed < length; passed += step {
		now := start.Add(passed)
		var asking []*holder
		for _, w := range workers {
			for range w.play(now, rng) {
				if w.refused {
					continue
				}
				q.took(w.name)
				if taken++; passed >= length/2 {
					late[w.name]++
				}
			}
			said := w.truth()
			if w.says != nil {
				said = w.says(w)
			}
			asking = append(asking, q.hear(now, w.name, said))
		}
		for i, l := range q.deal(now, 2*n-taken%n, 0, asking) {
			workers[i].leases += l.Games
		}
	}
	return late
}

// team is some workers of different speed: one is as fast as the next two.
func team(size int) (workers []*simulated) {
	for i := range size {
		workers = append(workers, &simulated{name: fmt.Sprint("w", i), seats: 16 << (i % 3), length: 2 * time.Second})
	}
	return workers
}

// sum is the number of games of some workers.
func sum(games map[string]int, of []*simulated) (total int) {
	for _, w := range of {
		total += games[w.name]
	}
	return total
}

// Who claims more than it does takes little from the others, whatever else it says, and nothing from the run. Of one whose games never
// come, or too late, the others hardly notice anything.
func TestLiarsTakeLittleFromOthers(t *testing.T) {
	fulltest.Only(t)
	const huge = 1_000_000
	openly := func(w *simulated) demand { return demand{Open: len(w.ends) + w.leases, Seats: huge, Rate: huge} }
	always := func(d demand) func(*simulated) demand { return func(*simulated) demand { return d } }
	for name, c := range map[string]struct {
		liar simulated
		left float64 // of what the others play without it, at least
	}{
		"plays none":                             {simulated{says: openly}, 0.93},
		"plays none and says that it holds none": {simulated{says: always(demand{Seats: huge, Rate: huge})}, 0.93},
		"says that it holds everything":          {simulated{says: always(demand{Open: huge, Seats: huge, Rate: huge})}, 0.93},
		"plays too slowly":                       {simulated{seats: 1, length: time.Minute, refused: true, says: openly}, 0.93},
		"plays a little":                         {simulated{seats: 1, length: 2 * time.Second, says: openly}, 0.9},
		"plays as fast as others":                {simulated{seats: 16, length: 2 * time.Second, says: openly}, 0.3},
	} {
		for _, r := range []struct{ workers, games int }{{1, 20}, {1, 200}, {4, 20}, {4, 200}, {20, 200}} {
			alone := team(r.workers)
			before := float64(sum(simulate(r.games, alone), alone))
			liar, others := c.liar, team(r.workers)
			liar.name = "liar"
			all := append([]*simulated{&liar}, others...) // it asks first
			games := simulate(r.games, all)
			left, run := float64(sum(games, others))/before, float64(sum(games, all))/before
			if left < c.left || run < 0.93 {
				t.Errorf("one that %s beside %d others, %d games: they play %.2f of what they did, want %.2f; all together %.2f, want 0.93",
					name, r.workers, r.games, left, c.left, run)
			}
		}
	}
}

// What was seen of a worker stays for a while when it goes, or is silent, so that it cannot begin anew.
func TestEvidenceOutlivesSilence(t *testing.T) {
	for name, goes := range map[string]demand{"goodbye": {}, "silence": {Open: 10, Seats: 10}} {
		q, now := newQuota(), start
		rates := func() (w, usual float64) {
			prove(q, "usual", 5)
			q.hear(now, "usual", demand{Seats: 10, Rate: 5})
			q.hear(now, "w", demand{Seats: 10, Rate: 5})
			q.believe()
			return q.holders["w"].believed, q.holders["usual"].believed
		}
		if w, usual := rates(); w < usual {
			t.Errorf("%s: one that has just come is believed to play %v games a second, one that is known %v", name, w, usual)
		}
		for range 60 {
			q.hear(now, "w", demand{Open: 10, Seats: 10, Rate: 5})
			now = now.Add(5 * time.Second)
		}
		q.hear(now, "w", goes)
		now = now.Add(leaseLife + time.Second)
		q.forget(now)
		if w, usual := rates(); w > usual/4 {
			t.Errorf("%s: after five minutes without a game it is believed to play %v games a second, one that is known %v", name, w, usual)
		}
		now = now.Add(remembered + time.Second)
		q.forget(now)
		if len(q.seen) > 0 {
			t.Errorf("%s: of %d workers that are gone something is remembered", name, len(q.seen))
		}
	}
}

// Games that are taken are evidence, those that are refused are not.
func TestTakenGamesAreEvidence(t *testing.T) {
	fulltest.Only(t)
	conn := connect(t, startServer(t, natslog.ServerConfig{}))
	c := startCoordinator(t, conn, CoordinatorConfig{Check: anyGame})
	for i, worker := range []string{"late", "w", "late", "w"} {
		if _, err := askAs(t.Context(), conn, worker, demand{Seats: 1}); err != nil {
			t.Fatal(err)
		}
		g := logtest.Game(uint64(i), 2)
		g.Model = uint64(i % 2)
		if _, err := c.log.Append(t.Context(), worker, g); err != nil {
			t.Fatal(err)
		}
	}
	c.next(t, 1, 0, 2)
	c.dealer.mu.Lock()
	defer c.dealer.mu.Unlock()
	if seen := c.dealer.quota.seen; seen["w"].taken != 2 || seen["late"].taken != 0 {
		t.Errorf("of the worker whose games are taken %v are noted, of the other %v", seen["w"].taken, seen["late"].taken)
	}
}

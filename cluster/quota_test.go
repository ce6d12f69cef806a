package cluster

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// start is when the tests of quotas begin.
var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// deals asks for one worker after the other with the same demand, and returns what each was given.
func deals(q *quota, now time.Time, wanted, workers int, d demand) (games []int) {
	var asking []*holder
	for i := range workers {
		asking = append(asking, q.hear(now, fmt.Sprint("w", i), d))
	}
	for _, l := range q.deal(now, wanted, 0, asking) {
		games = append(games, l.Games)
	}
	return games
}

// The workers together never get more than is wanted beside what each of them may hold, whatever they say, and what one does not get is
// there for others.
func TestQuotaDealsOutWhatIsWanted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q, now := newQuota(), start
		playing := map[string]int{} // games that a worker truly has
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.IntRange(0, 5000).Draw(t, "ms")) * time.Millisecond)
			wanted := rapid.IntRange(0, 300).Draw(t, "wanted")
			var asking []*holder
			for range rapid.IntRange(1, 5).Draw(t, "asking") {
				worker := fmt.Sprint(rapid.IntRange(0, 9).Draw(t, "worker"))
				playing[worker] -= rapid.IntRange(0, playing[worker]).Draw(t, "finished")
				asking = append(asking, q.hear(now, worker, demand{
					Open: playing[worker], Seats: rapid.IntRange(1, 50).Draw(t, "seats"), Rate: rapid.Float64Range(0, 100).Draw(t, "rate"),
				}))
			}
			held := func() (n int) {
				for _, h := range q.holders {
					n += h.held
				}
				return n
			}
			q.forget(now)
			q.believe()
			q.bound(wanted)
			before, all, given := q.underWay(), held(), 0
			for i, l := range q.deal(now, wanted, 0, asking) {
				given += l.Games
				if rapid.IntRange(0, 3).Draw(t, "lost") > 0 {
					playing[asking[i].worker] += l.Games
				}
				if l.Again < 1 {
					t.Fatalf("it should ask again after %d ms", l.Again)
				}
			}
			if given < 0 || given > 0 && before+given > wanted || held() != all+given {
				t.Fatalf("%d games were under way and %d were given, %d are wanted", before, given, wanted)
			}
			if room := wanted - before; given == 0 && room >= 10 && asking[0].held == 0 {
				t.Fatalf("of %d games nobody was given one", room)
			}
		}
	})
}

// Equal workers get equal shares; where there are more workers than games, those wait that were served last.
func TestQuotaIsFair(t *testing.T) {
	q := newQuota()
	for _, n := range deals(q, start, 10_000, 1000, demand{Seats: 256}) {
		if n != 10 {
			t.Fatalf("a worker got %d games, want 10", n)
		}
	}
	q = newQuota()
	total := make([]int, 1000)
	for round := range 5 {
		for i, n := range deals(q, start.Add(time.Duration(round)*time.Second), 400, 1000, demand{Seats: 256}) {
			total[i] += n
		}
	}
	for i, n := range total { // 2 on average
		if n < 1 || n > 3 {
			t.Fatalf("in 5 rounds of 400 games for 1,000 workers, worker %d got %d", i, n)
		}
	}
}

// prove has the run take games of a worker for a minute.
func prove(q *quota, worker string, rate float64) {
	q.hear(start, worker, demand{})
	*q.seen[worker] = evidence{taken: 60 * rate, held: 60, heard: start}
}

// Who is faster gets more, but nobody more than is of use before the next demand. What is claimed beyond several times of what was seen
// does not count.
func TestQuotaFollowsTheRates(t *testing.T) {
	for _, c := range []struct {
		wanted, slow, fast int
		claim              float64 // of the fast one
	}{
		{100, 10, 90, 18},   // by rate
		{1000, 14, 114, 18}, // as many as are of use: the seats, and two seconds' worth
		{100, 2, 97, 1e6},   // the slow one keeps something even so
	} {
		q := newQuota()
		prove(q, "slow", 2)
		prove(q, "fast", 18)
		slow := q.hear(start, "slow", demand{Seats: 10, Rate: 2})
		fast := q.hear(start, "fast", demand{Seats: 78, Rate: c.claim})
		leases := q.deal(start, c.wanted, 0, []*holder{slow, fast})
		if leases[0].Games != c.slow || leases[1].Games != c.fast {
			t.Errorf("of %d games the slow worker got %d and the fast one %d, want %d and %d",
				c.wanted, leases[0].Games, leases[1].Games, c.slow, c.fast)
		}
	}
}

// The games of a worker that has vanished are free after a while, those of one that says goodbye at once.
func TestQuotaForgets(t *testing.T) {
	q := newQuota()
	if got := deals(q, start, 10, 5, demand{Seats: 20}); !slices.Equal(got, []int{2, 2, 2, 2, 2}) {
		t.Fatalf("the first workers got %d games", got)
	}
	other := func(at time.Duration) int {
		h := q.hear(start.Add(at), "other", demand{Seats: 5})
		return q.deal(start.Add(at), 10, 0, []*holder{h})[0].Games
	}
	if got := other(time.Second); got != 0 {
		t.Errorf("another got %d games that are under way", got)
	}
	if got := other(leaseLife + time.Second); got != 5 {
		t.Errorf("another got %d games of workers that have vanished, want 5", got)
	}
	leaving := q.hear(start.Add(leaseLife+time.Second), "other", demand{})
	if got := q.deal(start.Add(leaseLife+time.Second), 10, 0, []*holder{leaving})[0].Games; got != 0 {
		t.Errorf("one that is leaving got %d games", got)
	}
	if got := deals(q, start.Add(leaseLife+time.Second), 10, 1, demand{Seats: 20}); got[0] != 10 {
		t.Errorf("%d games were free after a worker had left, want 10", got[0])
	}
}

// A worker whose model is so old that its games would come too late gets none before it has a newer one.
func TestQuotaWantsNewModels(t *testing.T) {
	q := newQuota()
	for model, want := range []int{0, 0, 5, 5} {
		h := q.hear(start, "w", demand{Seats: 5, Model: uint64(model)})
		if got := q.deal(start, 100, 2, []*holder{h})[0].Games; got != want {
			t.Errorf("with model %d it got %d games, want %d", model, got, want)
		}
	}
}

// Whatever a worker says of itself, numbers stay numbers: nobody is given more than is wanted, and who holds less than that takes
// nothing from others.
func TestQuotaHostileNumbers(t *testing.T) {
	for name, lie := range map[string]demand{
		"sums that overflow":    {Open: math.MaxInt, Unused: math.MaxInt, Seats: 1},
		"seats that overflow":   {Unsent: math.MaxInt, Seats: math.MaxInt},
		"a debt":                {Unsent: math.MinInt, Seats: 1},
		"more than any machine": {Seats: 1, Rate: math.MaxFloat64},
	} {
		q := newQuota()
		asking := []*holder{q.hear(start, "liar", lie), q.hear(start, "liar too", lie)}
		for i := range 8 {
			asking = append(asking, q.hear(start, fmt.Sprint("w", i), demand{Seats: 4, Rate: 1}))
		}
		for _, h := range q.holders {
			if use := h.use(); h.held < 0 || !(use >= 0) || use > 1e7 || !(h.Rate <= 1e6) {
				t.Errorf("%s: it holds %d games, has use for %v and plays %v a second", name, h.held, use, h.Rate)
			}
		}
		given := 0
		for _, l := range q.deal(start, 100, 0, asking) {
			given += l.Games
		}
		if given < 0 || given > 100 {
			t.Errorf("%s: %d games were given of 100", name, given)
		}
	}
}

// The games of a worker whose word is doubted do not keep others from playing; and it gets one at a time, when it holds none.
func TestQuotaDoubts(t *testing.T) {
	q := newQuota()
	liar := q.hear(start, "liar", demand{Open: 100, Seats: 10})
	other := q.hear(start, "other", demand{Seats: 30})
	both := []*holder{liar, other}
	if got := q.deal(start, 50, 0, both); got[0].Games != 0 || got[1].Games != 10 {
		t.Fatalf("%+v were given, want the 10 of 50 that nobody may keep from the other", got)
	}
	liar.seen.doubted = true
	if got := q.deal(start, 50, 0, both); got[0].Games != 0 || got[1].Games != 20 {
		t.Errorf("%+v were given, want none and 20", got)
	}
	q.hear(start, "liar", demand{Seats: 10})
	if got := q.deal(start, 50, 0, []*holder{liar})[0].Games; got != 1 {
		t.Errorf("%d games were given to one that is doubted, want 1", got)
	}
	back := start.Add(2 * leaseLife) // the worker has not been heard of meanwhile
	q.forget(back)
	liar = q.hear(back, "liar", demand{Open: 1, Seats: 10})
	if got := q.deal(back, 50, 0, []*holder{liar})[0].Games; got != 0 {
		t.Errorf("%d games were given to one that is doubted and holds one", got)
	}
	q.took("liar")
	if got := q.deal(back, 50, 0, []*holder{liar})[0].Games; got == 0 {
		t.Error("no games were given to one that is not doubted any more")
	}
}

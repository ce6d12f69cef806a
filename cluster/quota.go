package cluster

import (
	"iter"
	"math"
	"slices"
	"strings"
	"time"
)

// demand is what a worker says of itself when it asks for a lease.
type demand struct {
	Open    int     `json:"open"`              // games that were begun and are not in the log
	Unsent  int     `json:"unsent"`            // of these, finished
	Unused  int     `json:"unused"`            // games of its leases that were not begun
	Seats   int     `json:"seats"`             // games that it plays at the same time; 0: it is about to end
	Rate    float64 `json:"rate"`              // games a second that it could play; 0: not known yet
	Model   uint64  `json:"model"`             // that plays, by the iteration that made it
	Trouble string  `json:"trouble,omitempty"` // why the log does not take the unsent ones, "" if it does
}

// lease is the answer to a demand.
type lease struct {
	Games int    `json:"games"` // that the worker may begin besides those that it may already
	Again int    `json:"again"` // milliseconds after which it should ask again
	Model string `json:"model"` // that is to play, by its name
}

// quota deals the games that are wanted out among the workers.
//
// A worker may have as many games under way, or leases for them, as its share is: in proportion to how fast it says it is, and
// no more than keep it busy until it asks again. Where fewer games are wanted than there are workers, those wait the shortest
// that had to wait the longest. Together they have no more than are wanted, so that what they play is learned from.
//
// A quota remembers what each worker said last and what it was given since; nothing else. So an answer that is lost, a
// worker that vanishes and a trainer that starts anew cost a little time, and no games.
type quota struct {
	holders map[string]*holder
}

// holder is a worker that may hold leases.
type holder struct {
	demand
	worker  string
	held    int           // games that it has under way or may begin
	heard   time.Time     // when it asked last
	served  time.Time     // when it was given games last
	vain    time.Duration // for which the run has waited for its games, since one of them came
	doubted bool          // what it holds does not count until one of its games comes, see dealer.doubt
}

const (
	// leaseLife is for how long a worker that does not ask any more is thought to play what it has.
	leaseLife = 30 * time.Second
	// renewal is the longest time between two demands of a worker, and answered is the time for which a lease should last.
	renewal  = 10 * time.Second
	answered = 2 * time.Second
	// mostGames and mostRate bound what a worker may say of itself, so that sums stay numbers.
	mostGames, mostRate = 1_000_000, 1_000_000.0
)

// hear takes in a worker's demand.
func (q *quota) hear(now time.Time, worker string, d demand) *holder {
	h := q.holders[worker]
	if h == nil {
		h = &holder{worker: worker}
		q.holders[worker] = h
	}
	h.demand, h.heard = d, now
	for _, games := range []*int{&h.Open, &h.Unsent, &h.Unused, &h.Seats} {
		*games = min(max(*games, 0), mostGames)
	}
	h.Rate = min(max(h.Rate, 0), mostRate)
	h.held = h.Open + h.Unused
	return h
}

// forget lets go of those that have vanished.
func (q *quota) forget(now time.Time) {
	for worker, h := range q.holders {
		if now.Sub(h.heard) > leaseLife || h.Seats == 0 && h.held == 0 {
			delete(q.holders, worker)
		}
	}
}

// deal shares wanted games, those that the workers have already included, and returns the leases of those who ask. Who has a
// model older than oldest gets none, because its games would come too late. Who is doubted has no share, and gets one game if it
// holds none.
func (q *quota) deal(now time.Time, wanted int, oldest uint64, asking []*holder) []lease {
	q.forget(now)
	free := wanted
	for h := range q.trusted() {
		free -= h.held
	}
	shares := q.shares(wanted)
	order := make([]int, len(asking)) // of the index in asking: who has waited longest comes first
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		if c := asking[a].served.Compare(asking[b].served); c != 0 {
			return c
		}
		return strings.Compare(asking[a].worker, asking[b].worker)
	})
	leases := make([]lease, len(asking))
	for _, i := range order {
		h := asking[i]
		n := int(shares[h.worker]) - h.held
		if h.held == 0 && h.Seats > 0 {
			n = max(n, 1)
		}
		if n = min(n, free); n > 0 && h.Model >= oldest {
			leases[i].Games = n
			h.held, h.served = h.held+n, now
			free -= n
		}
		leases[i].Again = int(q.again(h, leases[i].Games > 0).Milliseconds())
	}
	return leases
}

// trusted are the holders whose games count.
func (q *quota) trusted() iter.Seq[*holder] {
	return func(yield func(*holder) bool) {
		for _, h := range q.holders {
			if !h.doubted && !yield(h) {
				return
			}
		}
	}
}

// shares says how many of the wanted games each worker should have: in proportion to its rate, but nobody more than is of use;
// what one has no use for goes to the others.
func (q *quota) shares(wanted int) map[string]float64 {
	known, sum := 0, 0.0
	for h := range q.trusted() {
		if h.Rate > 0 {
			known++
			sum += h.Rate
		}
	}
	usual := 1.0
	if known > 0 {
		usual = sum / float64(known) // what those are thought to do who do not know yet
	}
	left, weights := float64(wanted), 0.0
	open := make(map[string]float64, len(q.holders)) // weights of those whose share is not settled
	for h := range q.trusted() {
		open[h.worker] = h.Rate
		if h.Rate == 0 {
			open[h.worker] = usual
		}
		weights += open[h.worker]
	}
	shares := make(map[string]float64, len(open))
	for settled := true; settled && len(open) > 0; {
		settled = false
		level := left / weights
		for worker, weight := range open {
			if use := q.holders[worker].use(); use <= level*weight {
				shares[worker], settled = use, true
				left -= use
				weights -= weight
				delete(open, worker)
			} else {
				shares[worker] = level * weight
			}
		}
	}
	return shares
}

// use is the number of games that keep a worker busy until it has asked again and been answered.
func (h *holder) use() float64 {
	return float64(h.Seats+h.Unsent) + math.Ceil(h.Rate*answered.Seconds())
}

// again is how long a worker should wait before it asks again, unless it was given games and has begun most of them: the more
// workers there are, the longer.
func (q *quota) again(h *holder, served bool) time.Duration {
	n := time.Duration(len(q.holders))
	if served || h.held > 0 {
		return min(max(n*10*time.Millisecond, time.Second/2), renewal)
	}
	return min(max(n*2*time.Millisecond, 20*time.Millisecond), renewal)
}

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
// A worker may have as many games under way, or leases for them, as its share is: in proportion to how fast it is believed to be, see
// quota.believe, and no more than keep it busy until it asks again. Where fewer games are wanted than there are workers, those wait
// the shortest that had to wait the longest. Together they have no more than are wanted, unless one holds more than its bound,
// so that what they play is learned from.
//
// A quota remembers what each worker said last, what it was given since, and what came of it; nothing else. So an answer that is
// lost, a worker that vanishes and a trainer that starts anew cost a little time, and no games.
type quota struct {
	holders map[string]*holder
	seen    map[string]*evidence // of the holders, and for a while of those who were
}

func newQuota() *quota { return &quota{map[string]*holder{}, map[string]*evidence{}} }

// holder is a worker that may hold leases.
type holder struct {
	demand
	worker   string
	seen     *evidence
	held     int       // games that it has under way or may begin
	served   time.Time // when it was given games last
	believed float64   // games a second that it is thought to play
	most     float64   // games that it may keep from others
	share    float64   // of the games that are wanted; 0 from a demand to the next deal
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
		if q.seen[worker] == nil {
			q.seen[worker] = &evidence{}
		}
		h = &holder{worker: worker, seen: q.seen[worker]}
		q.holders[worker] = h
	}
	h.settle(now)
	h.demand, h.seen.heard = d, now
	for _, games := range []*int{&h.Open, &h.Unsent, &h.Unused, &h.Seats} {
		*games = min(max(*games, 0), mostGames)
	}
	h.Rate = min(max(h.Rate, 0), mostRate)
	h.held, h.share = h.Open+h.Unused, 0
	return h
}

// settle notes for how long the worker has held games since it asked last.
func (h *holder) settle(now time.Time) {
	if h.held > 0 {
		h.seen.hold(min(now.Sub(h.seen.heard), leaseLife))
	}
}

// forget lets go of those that have vanished.
func (q *quota) forget(now time.Time) {
	for worker, h := range q.holders {
		if now.Sub(h.seen.heard) > leaseLife || h.Seats == 0 && h.held == 0 {
			h.settle(now)
			delete(q.holders, worker)
		}
	}
	for worker, e := range q.seen {
		if now.Sub(e.heard) > remembered {
			delete(q.seen, worker)
		}
	}
}

// deal shares wanted games, those that the workers have already included, and returns the leases of those who ask. Who has a
// model older than oldest gets none, because its games would come too late. Who is doubted has no share, and gets one game if it
// holds none.
func (q *quota) deal(now time.Time, wanted int, oldest uint64, asking []*holder) []lease {
	q.forget(now)
	q.believe()
	q.bound(wanted)
	q.divide(wanted)
	free := wanted - q.underWay()
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
		n := int(h.share) - h.held
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

// underWay is the number of games that the workers hold, of none more than its bound.
func (q *quota) underWay() (n int) {
	for h := range q.trusted() {
		n += min(h.held, int(math.Ceil(h.most)))
	}
	return n
}

// trusted are the holders whose games count.
func (q *quota) trusted() iter.Seq[*holder] {
	return func(yield func(*holder) bool) {
		for _, h := range q.holders {
			if !h.seen.doubted && !yield(h) {
				return
			}
		}
	}
}

// divide finds out how many of the wanted games each worker should have: in proportion to what it is believed to play, but nobody more
// than its bound, or than is of use; what one has no use for goes to the others.
func (q *quota) divide(wanted int) {
	left, weights := float64(wanted), 0.0
	open := slices.Collect(q.trusted()) // whose share is not settled
	for _, h := range open {
		weights += h.believed
	}
	for settled := true; settled && len(open) > 0; {
		settled = false
		level := left / weights
		open = slices.DeleteFunc(open, func(h *holder) bool {
			use := min(h.use(), h.most)
			if use > level*h.believed {
				h.share = level * h.believed
				return false
			}
			h.share, settled = use, true
			left -= use
			weights -= h.believed
			return true
		})
	}
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

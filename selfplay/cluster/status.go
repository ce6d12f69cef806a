package cluster

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"tengen/internal/printable"
)

const (
	statusEvery = 3 * time.Second
	statusTTL   = 10 * time.Second       // after which a silent worker counts as gone
	newsPause   = 100 * time.Millisecond // between two reads of the order
	rateWindow  = 30 * time.Second       // of WorkerStatus.GamesRate
	farewell    = 5 * time.Second        // see Coordinator.Finish
	maxAtOnce   = 4096
)

// States of workers, as they report them.
const (
	statePlaying  = "playing"
	stateWaiting  = "waiting"
	stateFetching = "fetching a model"
)

type status struct {
	State      string `json:"state"`
	Model      uint64 `json:"model"`
	AtOnce     int    `json:"at_once"` // games of Model that it plays at once; 0 while it can begin none
	Version    string `json:"version"`
	Arithmetic string `json:"arithmetic"`
}

// report is a worker's message. The answer, which is empty, says that there is another order than the worker knows.
type report struct {
	status
	Order string `json:"order"` // its Nonce
}

// WorkerStatus is the trainer's view of a worker.
type WorkerStatus struct {
	Name      string
	status              // from the worker, except "gone" and "banned"
	Connected bool      // heard within statusTTL and not banned
	Heard     time.Time // last message
	Games     int64     // kept by this process
	GamesRate float64   // per second, averaged over about half a minute
	Banned    string    // reason
}

// Progress describes a Coordinator's progress.
type Progress struct {
	Done     int           // stored games of this call to Play
	Needed   int           // games of the call; 0 between calls
	Workers  int           // connected
	Local    bool          // this process plays too
	Verified int64         // games played again
	Idle     time.Duration // since the last game of the call was stored, or since the call
}

// Waits reports whether the coordinator needs a worker to make progress. Those that are connected may return nothing.
func (p Progress) Waits() bool {
	return p.Done < p.Needed && !p.Local && (p.Workers == 0 || p.Idle > time.Minute)
}

// Progress returns the coordinator's progress. It is safe for concurrent use.
func (c *Coordinator) Progress() Progress {
	progress := Progress{Local: c.cfg.Local != nil, Verified: c.verified.Load()}
	for _, w := range c.Workers() {
		if w.Connected {
			progress.Workers++
		}
	}
	if j := c.job.Load(); j != nil {
		j.mu.Lock()
		defer j.mu.Unlock()
		progress.Done, progress.Needed, progress.Idle = j.kept, len(j.numbers), time.Since(j.settled)
	}
	return progress
}

// Workers returns the known workers, sorted by name. It is safe for concurrent use.
func (c *Coordinator) Workers() (list []WorkerStatus) {
	m, now := c.members, time.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(m.all)) {
		w := m.all[name]
		s := w.WorkerStatus
		s.Name, s.Connected = name, w.active(now)
		switch {
		case w.Banned != "":
			s.State = "banned"
		case !s.Connected:
			s.State = "gone"
		}
		list = append(list, s)
	}
	return list
}

// Banned returns the workers banned for false games since the last call. The
// first call includes those that earlier processes banned.
func (c *Coordinator) Banned() []string {
	c.members.mu.Lock()
	defer c.members.mu.Unlock()
	banned := c.members.newlyBanned
	c.members.newlyBanned = nil
	return banned
}

// members holds a coordinator's known workers. It is safe for concurrent use.
type members struct {
	mu          sync.Mutex
	all         map[string]*member
	newlyBanned []string // see Coordinator.Banned
	order       string   // Nonce of the newest order; "" before the first
}

type member struct {
	WorkerStatus
	holder
	lost       bool      // its games are to be taken back
	consumer   bool      // the server has a consumer for its tasks
	revoked    time.Time // when its ban was in WorkersFile: a later token pardons it
	falseGames bool      // it is banned for them
	fresh      int       // games since the last review
	queued     int       // messages to process
	malformed  int       // messages so far
	asks       string    // reply subject for news, if it knows the newest order; "" if it has got them
}

// active reports whether a worker may have games.
func (w *member) active(now time.Time) bool {
	return w.Banned == "" && now.Sub(w.Heard) < statusTTL
}

// at calls f with a worker's entry under the lock.
func (m *members) at(name string, f func(*member)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.all[name] == nil {
		m.all[name] = &member{holder: newHolder()}
	}
	f(m.all[name])
}

// each calls f with each worker's entry under the lock.
func (m *members) each(f func(name string, w *member)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for name, w := range m.all {
		f(name, w)
	}
}

// know reports whether all connected workers know the newest order.
func (m *members) know(now time.Time) bool {
	known := true
	m.each(func(_ string, w *member) { known = known && (!w.active(now) || w.asks != "") })
	return known
}

// maxStatus is the size limit of a status in bytes, maxShown that of its texts in characters.
const maxStatus, maxShown = 1 << 10, 64

// readReport decodes and checks a report. People see its texts.
func readReport(content []byte) (r report, err error) {
	if len(content) > maxStatus {
		return r, fmt.Errorf("a status of %d bytes: at most %d are allowed", len(content), maxStatus)
	}
	if err := json.Unmarshal(content, &r); err != nil {
		return r, err
	}
	for _, text := range []string{r.Version, r.Arithmetic, r.Order} {
		if printable.Text(text, maxShown) != text {
			return r, fmt.Errorf("a status has the text %s: only %d printable characters are allowed",
				printable.Text(text, maxShown), maxShown)
		}
	}
	if !slices.Contains([]string{statePlaying, stateWaiting, stateFetching}, r.State) {
		return r, fmt.Errorf("a status has the unknown state %s", printable.Text(r.State, maxShown))
	}
	return r, nil
}

// receiveStatus records a worker's status. It answers once there is another order than the worker knows.
func (c *Coordinator) receiveStatus(m *nats.Msg) {
	name := sender(m)
	if !wantsAnswer(m) {
		return
	}
	r, err := readReport(m.Data)
	if err != nil {
		c.countMalformed(name, err)
		return
	}
	outdated := false
	c.members.at(name, func(w *member) {
		w.status, w.asks, w.Heard = r.status, m.Reply, time.Now()
		if outdated = c.members.order != "" && c.members.order != r.Order; outdated {
			w.asks = ""
		}
	})
	if outdated {
		m.Respond(nil)
	}
	c.hungry.notify()
}

// notifyWorkers tells the workers that there is a new order.
func (c *Coordinator) notifyWorkers(nonce string) {
	var asking []string
	c.members.mu.Lock()
	c.members.order = nonce
	for _, w := range c.members.all {
		if w.asks != "" {
			asking = append(asking, w.asks)
			w.asks = ""
		}
	}
	c.members.mu.Unlock()
	for _, subject := range asking {
		c.conn.Publish(subject, nil)
	}
}

// banned returns the reason for a worker's ban, or "".
func (m *members) banned(name string) (reason string) {
	m.at(name, func(w *member) { reason = w.Banned })
	return reason
}

// review updates the game rates. It must be called once a second.
func (m *members) review() {
	m.each(func(_ string, w *member) {
		w.GamesRate += (float64(w.fresh) - w.GamesRate) / rateWindow.Seconds()
		w.fresh = 0
	})
}

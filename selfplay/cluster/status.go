package cluster

import (
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"
)

const (
	statusEvery = 5 * time.Second
	statusTTL   = 30 * time.Second // after which a worker that says nothing is not there
	leastStatus = time.Second      // between two messages with a status, of an honest worker
	// mostFlood is how many messages too many cost a worker its token.
	mostFlood = 10_000
)

// status is what a worker tells of itself, for people to read. It decides nothing.
type status struct {
	State      string `json:"state"` // "playing", "waiting" or "fetching a model"
	Model      uint64 `json:"model"`
	Version    string `json:"version"`
	Arithmetic string `json:"arithmetic"`
}

// WorkerStatus is how a worker of a run is getting on, as the trainer knows it.
type WorkerStatus struct {
	Name      string    `json:"name"`
	status              // by its own account, but "gone" and "banned"
	Connected bool      `json:"connected"`        // it has said something in the last half minute
	Heard     time.Time `json:"heard"`            // last
	Games     int64     `json:"games"`            // of it that were kept by this process
	GamesRate float64   `json:"games_rate"`       // a second, about the last half minute
	Caught    string    `json:"caught,omitempty"` // why it may not play any more
}

// Progress is how far a Pool is.
type Progress struct {
	Model    uint64 // that plays
	Done     int    // games of this call of Generate that are safe
	Needed   int    // all of them; 0 if nothing is to be played
	Workers  int    // that are connected
	Local    bool   // this process plays as well
	Verified int64  // games that were played again
	Skipped  int64  // games that were to be played again and cannot be: of another arithmetic
}

// Waits reports whether nothing can happen before a worker comes.
func (p Progress) Waits() bool { return p.Done < p.Needed && !p.Local && p.Workers == 0 }

// Progress may be called by any goroutine.
func (p *Pool) Progress() Progress {
	progress := Progress{Local: p.cfg.Local != nil, Verified: p.verified.Load(), Skipped: p.skipped.Load()}
	for _, w := range p.Workers() {
		if w.Connected {
			progress.Workers++
		}
	}
	if b := p.book.Load(); b != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		progress.Model, progress.Done, progress.Needed = b.model, b.kept, len(b.numbers)
	}
	return progress
}

// Workers lists the workers that this process has heard of, by name. It may be called by any goroutine.
func (p *Pool) Workers() (list []WorkerStatus) {
	m, now := p.members, time.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(m.all)) {
		w := m.all[name]
		s := w.WorkerStatus
		s.Name, s.Connected = name, w.Caught == "" && now.Sub(w.Heard) < statusTTL
		switch {
		case w.Caught != "":
			s.State = "banned"
		case !s.Connected:
			s.State = "gone"
		}
		list = append(list, s)
	}
	return list
}

// members are the workers that a pool has heard of. Its methods may be called by several goroutines at once.
type members struct {
	mu  sync.Mutex
	all map[string]*member
}

type member struct {
	WorkerStatus
	fresh   int // games since the last review
	queued  int // messages that wait to be looked at
	rubbish int // messages that should not have come
	flood   int // messages too many
}

// at gives f what is known of a worker.
func (m *members) at(name string, f func(*member)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.all[name] == nil {
		m.all[name] = &member{}
	}
	f(m.all[name])
}

// say takes a worker's status.
func (m *members) say(name string, content []byte) {
	m.at(name, func(w *member) {
		if now := time.Now(); now.Sub(w.Heard) < leastStatus {
			w.flood++
		} else if json.Unmarshal(content, &w.status) == nil {
			w.Heard = now
		}
	})
}

// banned says why a worker may not play, "" if it may.
func (m *members) banned(name string) (reason string) {
	m.at(name, func(w *member) { reason = w.Caught })
	return reason
}

// review brings the rates up to date, once a second, and returns the workers that send far too many messages.
func (m *members) review() (flooding []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for name, w := range m.all {
		w.GamesRate += (float64(w.fresh) - w.GamesRate) / statusTTL.Seconds()
		w.fresh = 0
		if w.flood > mostFlood && w.Caught == "" {
			flooding = append(flooding, name)
		}
	}
	return flooding
}

package cluster

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"tengen/cluster/access"
	"tengen/cluster/natslog"
)

// instances refuses workers that have a name which another has. A run's own server binds a name to a connection; one elsewhere does
// not, so two processes may play there with copies of a spool. Each says in its demands which start of the program it is, its
// instance: if two ask in turn under one name, the one that came later is to end. It may be used by several goroutines at once.
type instances struct {
	report func(error)
	proof  time.Duration // for which both have to be there: what a process that was killed has sent may still be on its way

	subscription *nats.Subscription

	mu   sync.Mutex
	own  map[string]string     // instances of the workers of this process, by their names
	seen map[string][]sighting // by name, in the order in which they came
	next time.Time             // not before is told of the next refusal
}

// sighting is an instance that asks.
type sighting struct {
	instance     string
	since, heard time.Time // when it asked first and last
}

// gone reports whether nobody has heard of an instance for so long that it is forgotten.
func (s sighting) gone(now time.Time) bool { return now.Sub(s.heard) > leaseLife }

// request is a demand as it is sent.
type request struct {
	demand
	Instance string `json:"instance,omitempty"` // random, of each start; programs before it did not say
}

// reply is a lease as it is received.
type reply struct {
	lease
	Refused string `json:"refused,omitempty"` // why the worker is to end, "" if it is not
}

const (
	// rivalry is instances.proof. A worker that is there asks more often.
	rivalry = 15 * time.Second
	// mostInstances are remembered of a name. Only one that is started again and again has more.
	mostInstances = 10
	// longestInstance has room for what a worker makes. What is longer is none.
	longestInstance = 64
	// refusalInterval is the time between two reports of refusals.
	refusalInterval = time.Minute
)

// openInstances begins to listen, besides the dealer. A refusal goes out at once, while the dealer gathers demands before it deals;
// should a lease be faster, the next demand is refused.
func openInstances(conn *nats.Conn, run string, report func(error)) (n *instances, err error) {
	n = &instances{report: report, proof: rivalry, own: map[string]string{}, seen: map[string][]sighting{}}
	n.subscription, err = conn.Subscribe(natslog.LeaseSubjects(run), n.answer)
	return n, err
}

func (n *instances) close() { n.subscription.Unsubscribe() }

// answer refuses a demand if it has to be.
func (n *instances) answer(m *nats.Msg) {
	var asked request
	if m.Reply == "" || json.Unmarshal(m.Data, &asked) != nil {
		return
	}
	refusal := n.hear(time.Now(), natslog.LeaseWorker(m.Subject), asked.Instance)
	if refusal == nil {
		return
	}
	text, err := json.Marshal(reply{lease{Again: int(renewal.Milliseconds())}, refusal.Error()})
	if err == nil {
		m.Respond(text) // one that is lost is sent again at the next demand
	}
}

// hear notes who asks under a name, and says why it may not have it.
func (n *instances) hear(now time.Time, worker, instance string) (refusal error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	own, here := n.own[worker]
	switch {
	case here && own == instance:
		return nil
	case here || access.IsLocal(worker):
		refusal = fmt.Errorf("the name %s is one of the process that trains: the worker needs another user name, and a spool of its own", worker)
	case instance == "" || len(instance) > longestInstance || n.take(worker, instance, now):
		return nil
	default:
		refusal = fmt.Errorf("another process plays as worker %s: is the spool a copy? Each worker needs its own", worker)
	}
	if !now.Before(n.next) {
		n.next = now.Add(refusalInterval)
		n.report(fmt.Errorf("a process that asks for games is refused: %w", refusal))
	}
	return refusal
}

// take reports whether an instance may have a name: unless one that came before it has been heard some time after it came. A worker
// that was killed, and started again, is one that nobody hears again.
func (n *instances) take(worker, instance string, now time.Time) bool {
	if n.seen[worker] == nil {
		n.forget(now)
	}
	all := slices.DeleteFunc(n.seen[worker], func(s sighting) bool { return s.gone(now) })
	i := slices.IndexFunc(all, func(s sighting) bool { return s.instance == instance })
	if i < 0 {
		all = append(all[:min(len(all), mostInstances-1)], sighting{instance: instance, since: now})
		i = len(all) - 1
	}
	all[i].heard = now
	n.seen[worker] = all
	return !slices.ContainsFunc(all[:i], func(before sighting) bool { return before.heard.Sub(all[i].since) >= n.proof })
}

// forget lets go of names that nobody uses any more.
func (n *instances) forget(now time.Time) {
	for worker, all := range n.seen {
		if !slices.ContainsFunc(all, func(s sighting) bool { return !s.gone(now) }) {
			delete(n.seen, worker)
		}
	}
}

// trust says which worker is in this process: nobody else may have its name.
func (n *instances) trust(worker, instance string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.own[worker] = instance
}

package cluster

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"tengen/cluster/natslog"
)

// dealer is where the workers of a run ask for leases, as long as its Coordinator is open, also while it learns. It may be used
// by several goroutines at once.
type dealer struct {
	last   func(context.Context) (uint64, error) // sequence number of the newest game
	room   func() error                          // says why no games can be kept; nil: they can
	caught func(worker string) bool              // says whose games are not used
	report func(error)

	messages     chan *nats.Msg
	subscription *nats.Subscription
	end          context.CancelFunc
	ended        chan struct{}

	mu     sync.Mutex
	quota  *quota
	need   need
	noRoom error // as room said last
}

// need is which games are wanted.
type need struct {
	limit  uint64 // those with sequence numbers up to this
	most   int    // as many at most at the same time
	model  string // the name of the model to play with
	oldest uint64 // a model before this is too old to begin a game with
}

const (
	// gathering is for how long demands are gathered before the games are dealt out, so that those who ask at the same time get
	// equal shares.
	gathering = 5 * time.Millisecond
	// manyDemands is as many as may wait.
	manyDemands = 10_000
)

// openDealer begins to answer.
func openDealer(conn *nats.Conn, run string, d *dealer) (_ *dealer, err error) {
	d.messages, d.ended, d.quota = make(chan *nats.Msg, manyDemands), make(chan struct{}), newQuota()
	if d.room == nil {
		d.room = func() error { return nil }
	}
	d.subscription, err = conn.ChanSubscribe(natslog.LeaseSubjects(run), d.messages)
	if err != nil {
		return nil, err
	}
	if err := conn.Flush(); err != nil { // a worker that asks from now on is heard
		d.subscription.Unsubscribe()
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	d.end = cancel
	go d.serve(ctx)
	return d, nil
}

func (d *dealer) close() {
	d.subscription.Unsubscribe()
	d.end()
	<-d.ended
}

func (d *dealer) serve(ctx context.Context) {
	defer close(d.ended)
	for {
		select {
		case <-ctx.Done():
			return
		case first := <-d.messages:
			d.answer(ctx, d.gather(ctx, first))
		}
	}
}

// gather returns the messages that come with the first.
func (d *dealer) gather(ctx context.Context, first *nats.Msg) []*nats.Msg {
	all := []*nats.Msg{first}
	enough := time.After(gathering)
	for len(all) < manyDemands {
		select {
		case m := <-d.messages:
			all = append(all, m)
		case <-enough:
			return all
		case <-ctx.Done():
			return nil
		}
	}
	return all
}

// answer deals games out to those who ask. Of several demands of a worker the newest counts, as it waits for no answer to others.
func (d *dealer) answer(ctx context.Context, messages []*nats.Msg) {
	var asking []*holder
	replies := map[*holder]*nats.Msg{}
	now := time.Now()
	d.mu.Lock()
	for _, m := range messages {
		var asked demand
		if json.Unmarshal(m.Data, &asked) != nil {
			continue // it is no worker's
		}
		worker := natslog.LeaseWorker(m.Subject)
		if d.caught(worker) {
			asked = demand{} // what it has under way is none of the games that are wanted, and it is to begin no other
		}
		h := d.quota.hear(now, worker, asked)
		if m.Reply == "" {
			continue
		}
		if replies[h] == nil {
			asking = append(asking, h)
		}
		replies[h] = m
	}
	d.mu.Unlock()
	if len(asking) == 0 {
		return
	}
	// After the demands were heard: a game is either among those that its worker has under way, or counts here, or both.
	last, err := d.last(ctx)
	if err != nil {
		return // they ask again
	}
	d.checkRoom()
	d.mu.Lock()
	defer d.mu.Unlock()
	leases := d.quota.deal(now, d.wanted(last), d.need.oldest, asking)
	for i, h := range asking {
		leases[i].Model = d.need.model
		if text, err := json.Marshal(leases[i]); err == nil {
			replies[h].Respond(text) // one that is lost is asked for again
		}
	}
}

// wanted is the number of games that may be under way when the log ends with last.
func (d *dealer) wanted(last uint64) int {
	if d.noRoom != nil || last >= d.need.limit {
		return 0
	}
	return int(min(d.need.limit-last, uint64(d.need.most)))
}

// checkRoom looks whether there is room for games, and tells when that changes.
func (d *dealer) checkRoom() {
	err := d.room()
	d.mu.Lock()
	before := d.noRoom
	d.noRoom = err
	d.mu.Unlock()
	switch {
	case err != nil && before == nil:
		d.report(err)
	case err == nil && before != nil:
		d.report(errRoomAgain)
	}
}

// want says which games are wanted from now on.
func (d *dealer) want(n need) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.need = n
}

package natslog

import (
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/nats-io/nats-server/v2/server"
)

// admission decides for the NATS server who a client is and what it may do. The run's own process may do all; workers have the access
// of accessOf, each under its own name, which only one of them has at a time.
type admission struct {
	nats    *server.Server
	workers *server.Account // nil if no workers may come in
	run     string
	own     string // opens everything, to connections of this process
	admit   func(user, secret, worker string) error
	report  func(message string)
	refused *notices

	ready chan struct{} // closed by attach

	mu     sync.Mutex
	guests map[string]guest // workers, by name
}

// guest is a worker that is connected.
type guest struct {
	user, secret string
	session      string // of the process: it may take its name along to a new connection
	client       uint64 // the server's number of the connection
}

func newAdmission(cfg ServerConfig, report func(string), refused *notices) *admission {
	return &admission{
		run: cfg.Run, own: rand.Text(), admit: cfg.Admit, report: report, refused: refused,
		ready: make(chan struct{}), guests: map[string]guest{},
	}
}

// attach makes the account of workers on a server that has started: one that has several accounts before does not give the
// global one streams. Clients wait for it.
func (a *admission) attach(ns *server.Server) (err error) {
	defer close(a.ready)
	a.nats = ns
	if a.admit == nil {
		return nil
	}
	workers, err := ns.RegisterAccount(workersAccount)
	if err == nil {
		err = accessOf(a.run, anyWorker).open(ns.GlobalAccount(), workers)
	}
	if err != nil {
		return fmt.Errorf("account of workers: %w", err)
	}
	a.workers = workers
	return nil
}

// Check implements server.Authentication.
func (a *admission) Check(c server.ClientAuthentication) bool {
	<-a.ready
	opts := c.GetOpts()
	if subtle.ConstantTimeCompare([]byte(opts.Token), []byte(a.own)) == 1 {
		a.leave(c.GetID(), "")
		c.RegisterUser(&server.User{Account: a.nats.GlobalAccount()})
		return true
	}
	if err := a.enter(c, opts); err != nil {
		a.refused.tell(fmt.Sprintf("a connection from %v is refused: %v", c.RemoteAddress(), err))
		return false
	}
	return true
}

func (a *admission) enter(c server.ClientAuthentication, opts *server.ClientOpts) error {
	worker, session, _ := strings.Cut(opts.Name, sessionMark)
	g := guest{user: opts.Username, secret: opts.Password, session: session, client: c.GetID()}
	if g.user == "" {
		g.secret = opts.Token
	}
	if a.workers == nil {
		return errors.New("it has no token, or a wrong one")
	}
	if err := CheckWorker(worker); err != nil {
		return fmt.Errorf("it says no name that a worker can have (%w): it needs the version of the run", err)
	}
	if err := a.admit(g.user, g.secret, worker); err != nil {
		return err
	}
	if err := a.take(worker, g); err != nil {
		return err
	}
	c.RegisterUser(&server.User{
		Username:    worker,
		Account:     a.workers,
		Permissions: accessOf(a.run, workerPart(worker)).permissions(inboxOf(g.user, worker)),
	})
	return nil
}

// take gives a name to a client, unless another has it. One that has lost its connection may be back before the server has
// noticed: its session tells.
func (a *admission) take(worker string, g guest) error {
	a.leave(g.client, worker)
	a.mu.Lock()
	before, taken := a.guests[worker]
	taken = taken && before.client != g.client && a.nats.GetClient(before.client) != nil
	if taken && before.session != g.session {
		a.mu.Unlock()
		return fmt.Errorf("another connection plays as worker %s: is the spool a copy? Each worker needs its own", worker)
	}
	a.guests[worker] = g
	a.mu.Unlock()
	if taken {
		a.nats.DisconnectClientByID(before.client) // fails if it is gone by now
	}
	return nil
}

// leave takes from a client the names that it has, but for one.
func (a *admission) leave(client uint64, but string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for worker, g := range a.guests {
		if g.client == client && worker != but {
			delete(a.guests, worker)
		}
	}
}

// review cuts the connections of workers that may not be there any more.
func (a *admission) review() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for worker, g := range a.guests {
		if a.nats.GetClient(g.client) == nil {
			delete(a.guests, worker)
			continue
		}
		if err := a.admit(g.user, g.secret, worker); err != nil {
			delete(a.guests, worker)
			go a.nats.DisconnectClientByID(g.client)
			a.report(fmt.Sprintf("the connection of worker %s is cut: %v", worker, err))
		}
	}
}

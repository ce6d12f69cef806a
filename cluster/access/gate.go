package access

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// Gate decides who may come in. It may be used by several goroutines at once.
type Gate struct {
	tokenFile string
	list      List
	caught    CaughtFile
	report    func(error)

	mu      sync.Mutex
	token   cached[string]
	workers cached[[]Worker]
	out     cached[[]Caught]
}

// NewGate returns a gate for those who have the token in a file, and those on a list, but for those who were caught. What one of the
// files said last holds while it cannot be read; report is told so. A token or a list that is not there admits nobody.
func NewGate(tokenFile string, list List, caught CaughtFile, report func(error)) *Gate {
	return &Gate{tokenFile: tokenFile, list: list, caught: caught, report: report}
}

// Admit refuses a client that may not play as worker, which is its name in the log of games. With a credential of its own it gives
// its user name and its secret, with the token no user name.
func (g *Gate) Admit(user, secret, worker string) error {
	token, workers, caught, err := g.read()
	if err != nil {
		return err
	}
	if slices.ContainsFunc(caught, func(c Caught) bool { return c.Worker == worker }) {
		return fmt.Errorf("worker %s is cut off: its line in %s says why", worker, g.caught)
	}
	for _, w := range workers {
		switch {
		case w.Name == user && w.Secret != "":
			return w.admit(secret, worker)
		case !w.Revoked.IsZero() && w.Name == worker:
			return fmt.Errorf("worker %s is revoked since %s", worker, w.Revoked.Format(time.DateTime))
		}
	}
	if user != "" {
		secret = user + ":" + secret // a token may hold a colon
	}
	if token == "" || !equal(secret, token) {
		if user != "" {
			return fmt.Errorf("there is no worker %q here: it was never added, or its token is that of another run", user)
		}
		return errors.New("it has no token, or a wrong one")
	}
	if IsLocal(worker) {
		return fmt.Errorf("the name %s is one of the process that trains: a worker needs another spool", worker)
	}
	for _, w := range workers {
		if Owns(w.Name, worker) {
			return fmt.Errorf("the name %s is one of the worker %s, which has a token of its own", worker, w.Name)
		}
	}
	return nil
}

// admit refuses whoever is not the named worker.
func (w Worker) admit(secret, worker string) error {
	switch {
	case !equal(digest(secret), w.Secret):
		return fmt.Errorf("worker %s has a wrong token", w.Name)
	case !w.Revoked.IsZero():
		return fmt.Errorf("worker %s is revoked since %s", w.Name, w.Revoked.Format(time.DateTime))
	case !Owns(w.Name, worker):
		return fmt.Errorf("worker %s plays as %q: its spool was made with another token, it needs one of its own", w.Name, worker)
	}
	return nil
}

func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

func (g *Gate) read() (token string, workers []Worker, caught []Caught, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	err = g.token.update(g.tokenFile, g.report, func() (string, error) {
		content, err := os.ReadFile(g.tokenFile)
		return strings.TrimSpace(string(content)), err
	})
	if err == nil {
		err = g.workers.update(string(g.list), g.report, g.list.Workers)
	}
	if err == nil {
		err = g.out.update(string(g.caught), g.report, g.caught.Read)
	}
	return g.token.value, g.workers.value, g.out.value, err
}

// cached is what a file said when it was read last.
type cached[T any] struct {
	value T
	known bool        // value was read
	file  fs.FileInfo // as it was then, nil if there was none
	told  string      // the error that was reported since then
}

// update reads the file if it has changed since it could be read last. It is an error if it never could; later that is reported, once
// for each reason.
func (c *cached[T]) update(path string, report func(error), load func() (T, error)) error {
	now, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		*c = cached[T]{known: true}
		return nil
	}
	if err == nil && c.file != nil && unchanged(c.file, now) {
		return nil
	}
	var value T
	if err == nil {
		value, err = load()
	}
	switch {
	case err == nil:
		*c = cached[T]{value: value, known: true, file: now}
	case !c.known:
		return err
	case err.Error() != c.told:
		c.told = err.Error()
		report(fmt.Errorf("%w: what it said before holds", err))
	}
	return nil
}

func unchanged(before, now fs.FileInfo) bool {
	return os.SameFile(before, now) && before.ModTime().Equal(now.ModTime()) && before.Size() == now.Size()
}

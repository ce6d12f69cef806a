package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"
	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"tengen/internal/atomicfile"
)

// WorkersFile is the file of a run directory that names the workers of the run's own server.
const WorkersFile = "workers.json"

// WorkerKey is a worker that was given a token.
type WorkerKey struct {
	Name    string    `json:"name"`
	Key     string    `json:"key"` // public; the private one is in the token alone
	Added   time.Time `json:"added,omitzero"`
	Revoked time.Time `json:"revoked,omitzero"` // since when the token opens nothing
	Ban               // why the trainer revoked it; zero if a person did
}

// Ban is why the trainer takes no more games of a worker.
type Ban struct {
	Reason     string `json:"reason,omitempty"`
	FalseGames bool   `json:"false_games,omitempty"` // a game came out otherwise when it was played again
}

// accessFile is the content of WorkersFile. A token is a JWT that the account's key has signed, so the server needs no list of
// those it admits, only the list of those that it does not admit any more.
type accessFile struct {
	Seed    string      `json:"account_seed"` // signs tokens
	Workers []WorkerKey `json:"workers"`

	account nkeys.KeyPair // of Seed
}

// readAccess reads the file of a run directory, or makes the content of a new one.
func readAccess(dir string) (a accessFile, err error) {
	path := filepath.Join(dir, WorkersFile)
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		a.account = newKey(nkeys.PrefixByteAccount)
		a.Seed = string(must(a.account.Seed()))
		return a, nil
	}
	if err == nil {
		err = json.Unmarshal(content, &a)
	}
	if err == nil {
		a.account, err = nkeys.FromSeed([]byte(a.Seed))
	}
	if err != nil {
		return a, fmt.Errorf("%s cannot be used (%w): restore it from a copy, or remove it and add the workers again", path, err)
	}
	return a, nil
}

// active is the index of the worker that has a valid token and this name, -1 if there is none.
func (a accessFile) active(name string) int {
	return slices.IndexFunc(a.Workers, func(w WorkerKey) bool { return w.Name == name && w.Revoked.IsZero() })
}

// changeAccess replaces the file of a run directory, whole, by what edit makes of it. Changes by several processes come one after
// the other.
func changeAccess(dir string, edit func(*accessFile) error) error {
	path := filepath.Join(dir, WorkersFile)
	lock := flock.New(path + ".lock")
	if err := lock.Lock(); err != nil {
		return err
	}
	defer lock.Unlock()
	a, err := readAccess(dir)
	if err == nil {
		err = edit(&a)
	}
	if err != nil {
		return err
	}
	return atomicfile.WriteBytes(path, 0o600, append(must(json.MarshalIndent(a, "", "  ")), '\n'))
}

// AddWorker gives a worker of the run's own server a token, the content of its token file. The token is kept nowhere else. The
// name of a worker that was revoked may be given again.
func AddWorker(dir, name string) (token []byte, err error) {
	if err := CheckWorker(name); err != nil {
		return nil, err
	}
	user := newKey(nkeys.PrefixByteUser)
	claims := jwt.NewUserClaims(public(user))
	claims.Name = name
	claims.Pub.Allow.Add(requests(EmbeddedRun, name)...)
	claims.Sub.Allow.Add(inboxOf(name)+".>", newsSubject(EmbeddedRun))
	claims.Limits.Payload, claims.Limits.Subs = maxPayload, mostSubscriptions
	err = changeAccess(dir, func(a *accessFile) error {
		if a.active(name) >= 0 {
			return fmt.Errorf("there is a worker %q already: revoke it before, or choose another name", name)
		}
		a.Workers = append(a.Workers, WorkerKey{Name: name, Key: public(user), Added: time.Now().UTC().Truncate(time.Second)})
		signed, err := claims.Encode(a.account)
		if err == nil {
			token, err = jwt.FormatUserConfig(signed, must(user.Seed()))
		}
		return err
	})
	return token, err
}

// RevokeWorker makes the token of a worker useless. A server that runs notices within a second, and cuts its connections.
func RevokeWorker(dir, name string, why Ban) error {
	return changeAccess(dir, func(a *accessFile) error {
		i := a.active(name)
		if i < 0 {
			return fmt.Errorf("there is no worker %q with a token", name)
		}
		a.Workers[i].Revoked, a.Workers[i].Ban = time.Now().UTC().Truncate(time.Second), why
		return nil
	})
}

// ListWorkers lists those that were given a token, in the order in which they were added.
func ListWorkers(dir string) ([]WorkerKey, error) {
	a, err := readAccess(dir)
	return a.Workers, err
}

// FalseWorkers lists the workers that are out for false games. A new token pardons a worker.
func FalseWorkers(dir string) (names []string, err error) {
	workers, err := ListWorkers(dir)
	out := map[string]bool{}
	for _, w := range workers { // of one name, the newest comes last
		out[w.Name] = w.FalseGames
	}
	for _, name := range slices.Sorted(maps.Keys(out)) {
		if out[name] {
			names = append(names, name)
		}
	}
	return names, err
}

// newKey makes a key, for which only the system's random numbers are needed.
func newKey(kind nkeys.PrefixByte) nkeys.KeyPair { return must(nkeys.CreatePair(kind)) }

// public is the public half of a key that has one.
func public(pair nkeys.KeyPair) string { return must(pair.PublicKey()) }

// must returns the value of what cannot fail.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// accounts are the accounts on a run's own server. Permissions for subjects would not keep workers and run apart: a server answers a
// request under any subject that the sender asks for, with the rights of the server. So a worker in the account of the run could
// have answers written over the run's entries. From another account, an answer finds the way back to that account only.
//
// The keys of the operator and of the run's account live as long as the process: only the workers' account has to be the same
// when the server starts again, because it has signed their tokens.
type accounts struct {
	operator, system, trainer, workers nkeys.KeyPair
	resolver                           server.MemAccResolver
}

// newAccounts makes a server trust accounts.
func newAccounts(file accessFile, o *server.Options) (*accounts, error) {
	a := &accounts{
		operator: newKey(nkeys.PrefixByteOperator), system: newKey(nkeys.PrefixByteAccount), trainer: newKey(nkeys.PrefixByteAccount),
		workers: file.account,
	}
	operator := jwt.NewOperatorClaims(public(a.operator))
	operator.SystemAccount = public(a.system)
	o.SystemAccount, o.TrustedOperators, o.AccountResolver = operator.SystemAccount, []*jwt.OperatorClaims{operator}, &a.resolver
	return a, errors.Join(a.store(jwt.NewAccountClaims(operator.SystemAccount)), a.store(a.trainerClaims()), a.store(a.workersClaims(file)))
}

// store makes the server know an account when it is asked for.
func (a *accounts) store(claims *jwt.AccountClaims) error {
	signed, err := claims.Encode(a.operator)
	if err != nil {
		return err
	}
	return a.resolver.Store(claims.Subject, signed)
}

// silent is a subject without a subscriber.
const silent = "nothing"

// trainerClaims let the run use streams, and the workers' account reach what a worker needs.
func (a *accounts) trainerClaims() *jwt.AccountClaims {
	c := jwt.NewAccountClaims(public(a.trainer))
	c.Limits.JetStreamLimits = jwt.JetStreamLimits{
		MemoryStorage: jwt.NoLimit, Streams: jwt.NoLimit, Consumer: jwt.NoLimit, MaxAckPending: jwt.NoLimit,
	}
	for _, subject := range append(requests(EmbeddedRun, "*"), silent) {
		c.Exports.Add(&jwt.Export{Subject: jwt.Subject(subject), Type: jwt.Service})
	}
	c.Exports.Add(&jwt.Export{Subject: jwt.Subject(newsSubject(EmbeddedRun)), Type: jwt.Stream})
	return c
}

// workersClaims name what workers reach, and whose tokens were revoked.
func (a *accounts) workersClaims(file accessFile) *jwt.AccountClaims {
	c, from := jwt.NewAccountClaims(public(a.workers)), public(a.trainer)
	for _, subject := range requests(EmbeddedRun, "*") {
		c.Imports.Add(&jwt.Import{Account: from, Subject: jwt.Subject(subject), Type: jwt.Service})
	}
	// A server gives each account all of $JS.API, to answer that it has no JetStream, before the imports above are asked. It does
	// not where $JS.API.INFO is imported, even from a subject without a subscriber.
	c.Imports.Add(&jwt.Import{Account: from, Subject: silent, LocalSubject: server.JSApiAccountInfo, Type: jwt.Service})
	c.Imports.Add(&jwt.Import{Account: from, Subject: jwt.Subject(newsSubject(EmbeddedRun)), Type: jwt.Stream})
	c.Revocations = jwt.RevocationList{}
	for _, w := range file.Workers {
		if !w.Revoked.IsZero() {
			c.Revocations[w.Key] = math.MaxInt64 // whenever the token was signed
		}
	}
	return c
}

// update gives a running server the workers' account as the file has it now. The server cuts those whose tokens were revoked.
func (a *accounts) update(ns *server.Server, file accessFile) error {
	if public(file.account) != public(a.workers) {
		return errors.New(WorkersFile + " has another key than when the server was started: restore it, or start again")
	}
	claims := a.workersClaims(file)
	if err := a.store(claims); err != nil {
		return err
	}
	account, err := ns.LookupAccount(claims.Subject)
	if err == nil {
		ns.UpdateAccountClaims(account, claims)
	}
	return err
}

// login is for connections of the trainer's process, which may do everything in its account.
func (a *accounts) login() (nats.Option, error) {
	user := newKey(nkeys.PrefixByteUser)
	signed, err := jwt.NewUserClaims(public(user)).Encode(a.trainer)
	return nats.UserJWT(func() (string, error) { return signed, nil }, user.Sign), err
}

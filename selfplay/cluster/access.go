package cluster

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"tengen/internal/atomicfile"
	"tengen/internal/files"
)

// WorkersFile is the file in a run directory that lists its workers.
const WorkersFile = "workers.json"

const maxAccess = 16 << 20 // bytes of a WorkersFile; a worker needs a few hundred

// WorkerKey describes a worker with a token.
type WorkerKey struct {
	Name    string    `json:"name"`
	Key     string    `json:"key"` // public; only the token has the private key
	Added   time.Time `json:"added,omitzero"`
	Revoked time.Time `json:"revoked,omitzero"`
	Ban               // zero unless the trainer revoked the token
}

// Ban says why the trainer revoked a worker's token.
type Ban struct {
	Reason     string `json:"reason,omitempty"`
	FalseGames bool   `json:"false_games,omitempty"` // a replayed game differed
}

// accessFile is the content of WorkersFile. A token is a JWT signed with the account's key.
type accessFile struct {
	Seed    string      `json:"account_seed"` // signs tokens
	Workers []WorkerKey `json:"workers"`

	account nkeys.KeyPair // of Seed
	content string        // as read
}

// readAccess reads a run's WorkersFile. If there is none, it returns content with a new key and no workers.
func readAccess(dir string) (a accessFile, err error) {
	path := filepath.Join(dir, WorkersFile)
	content, err := files.Read(path, maxAccess)
	if errors.Is(err, fs.ErrNotExist) {
		a.account = newKey(nkeys.PrefixByteAccount)
		a.Seed = string(must(a.account.Seed()))
		return a, nil
	}
	if err == nil {
		a, err = parseAccess(content)
	}
	if err != nil {
		return a, fmt.Errorf("%s cannot be used (%w): restore it from a copy, or remove it and add the workers again", path, err)
	}
	return a, nil
}

func parseAccess(content []byte) (a accessFile, err error) {
	if err := json.Unmarshal(files.Text(content), &a); err != nil {
		return a, err
	}
	a.content = string(content)
	a.account, err = nkeys.FromSeed([]byte(a.Seed))
	return a, err
}

// active returns the index of the named worker with a valid token, or -1.
func (a accessFile) active(name string) int {
	return slices.IndexFunc(a.Workers, func(w WorkerKey) bool { return w.Name == name && w.Revoked.IsZero() })
}

// changeAccess edits a run's WorkersFile atomically. Several processes may call it.
func changeAccess(dir string, edit func(*accessFile) error) error {
	path := filepath.Join(dir, WorkersFile)
	lock, err := files.Lock(path + ".lock")
	if err == nil {
		err = lock.Lock()
	}
	if err != nil {
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

// AddWorker adds a worker and returns the content of its token file, without storing it. A revoked worker's name may be
// reused.
func AddWorker(dir, name string) (token []byte, err error) {
	if err := CheckWorker(name); err != nil {
		return nil, err
	}
	user := newKey(nkeys.PrefixByteUser)
	claims := jwt.NewUserClaims(public(user))
	claims.Name = name
	claims.Pub.Allow.Add(requests(EmbeddedRun, name)...)
	claims.Sub.Allow.Add(inboxOf(name) + ".>")
	claims.Limits.Payload, claims.Limits.Subs = maxPayload, maxSubscriptions
	err = changeAccess(dir, func(a *accessFile) error {
		if a.active(name) >= 0 {
			return fmt.Errorf("worker %q already exists: revoke it first, or choose another name", name)
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

// RevokeWorker revokes a worker's token. A running server disconnects the worker within a second. A token that was
// revoked by hand gets the trainer's reason: false games must be dropped all the same.
func RevokeWorker(dir, name string, why Ban) error {
	return changeAccess(dir, func(a *accessFile) error {
		newest := -1 // of the name's tokens
		for i, w := range a.Workers {
			if w.Name == name && (w.Revoked.IsZero() || why != Ban{}) {
				newest = i
			}
		}
		if newest < 0 {
			return fmt.Errorf("there is no worker %q with a token: `tengen workers list %s` shows them", name, dir)
		}
		w := &a.Workers[newest]
		w.Revoked, w.Ban = cmp.Or(w.Revoked, time.Now().UTC().Truncate(time.Second)), why
		return nil
	})
}

// ListWorkers returns all workers, including revoked ones, in the order they were added.
func ListWorkers(dir string) ([]WorkerKey, error) {
	a, err := readAccess(dir)
	return a.Workers, err
}

// falseWorkers returns the sorted names of the workers banned for false games. A new token pardons a worker.
func falseWorkers(dir string) (names []string, err error) {
	workers, err := ListWorkers(dir)
	banned := map[string]bool{}
	for _, w := range workers { // a name's newest token comes last
		banned[w.Name] = w.FalseGames
	}
	maps.DeleteFunc(banned, func(_ string, falseGames bool) bool { return !falseGames })
	return slices.Sorted(maps.Keys(banned)), err
}

func newKey(kind nkeys.PrefixByte) nkeys.KeyPair { return must(nkeys.CreatePair(kind)) }

func public(pair nkeys.KeyPair) string { return must(pair.PublicKey()) }

// must panics on an error that cannot happen.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// accounts are the accounts on a run's own server. The server sends replies to any subject that a request names, so a
// worker in the trainer's account could overwrite the run's entries. Only the workers' key survives restarts, because
// it signs tokens.
type accounts struct {
	operator, system, trainer, workers nkeys.KeyPair
	resolver                           server.MemAccResolver
}

// newAccounts configures a server to trust the accounts it returns.
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

func (a *accounts) store(claims *jwt.AccountClaims) error {
	signed, err := claims.Encode(a.operator)
	if err != nil {
		return err
	}
	return a.resolver.Store(claims.Subject, signed)
}

// unusedSubject has no subscribers (see workersClaims).
const unusedSubject = "nothing"

// trainerClaims describes the trainer's account, which may have streams and exports the subjects that workers need.
func (a *accounts) trainerClaims() *jwt.AccountClaims {
	c := jwt.NewAccountClaims(public(a.trainer))
	c.Limits.JetStreamLimits = jwt.JetStreamLimits{
		MemoryStorage: jwt.NoLimit, Streams: jwt.NoLimit, Consumer: jwt.NoLimit, MaxAckPending: jwt.NoLimit,
	}
	for _, subject := range append(requests(EmbeddedRun, "*"), unusedSubject) {
		c.Exports.Add(&jwt.Export{Subject: jwt.Subject(subject), Type: jwt.Service})
	}
	return c
}

// workersClaims describes the workers' account, which imports these subjects, and lists the revoked tokens.
func (a *accounts) workersClaims(file accessFile) *jwt.AccountClaims {
	c, from := jwt.NewAccountClaims(public(a.workers)), public(a.trainer)
	for _, subject := range requests(EmbeddedRun, "*") {
		c.Imports.Add(&jwt.Import{Account: from, Subject: jwt.Subject(subject), Type: jwt.Service})
	}
	// If the account did not import $JS.API.INFO, the server would add all of $JS.API and so hide the imports above.
	c.Imports.Add(&jwt.Import{Account: from, Subject: unusedSubject, LocalSubject: server.JSApiAccountInfo, Type: jwt.Service})
	c.Revocations = jwt.RevocationList{}
	for _, w := range file.Workers {
		if !w.Revoked.IsZero() {
			c.Revocations[w.Key] = math.MaxInt64 // revokes the key's tokens whenever they were signed
		}
	}
	return c
}

// update applies a changed file to a running server.
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

func (a *accounts) trainerLogin() nats.Option {
	user := newKey(nkeys.PrefixByteUser)
	signed := must(jwt.NewUserClaims(public(user)).Encode(a.trainer))
	return nats.UserJWT(func() (string, error) { return signed, nil }, user.Sign)
}

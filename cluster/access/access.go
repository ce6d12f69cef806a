// Package access says who may play for a run: whoever has the run's token, and workers that were given a credential of their own,
// which can be taken back from one of them without the others noticing.
//
// Both stand in files of the run directory: the token in one, the named workers in another, by the hashes of their secrets, so
// that nobody can join with what a copy of the directory tells about them; and those who are kept out for what they have sent in a
// third. A Gate reads the files anew when they change, and a List may be changed while the run trains.
package access

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"tengen/internal/atomicfile"
)

// Worker is one that was given a credential of its own, or one that is kept out.
type Worker struct {
	Name    string    `json:"name"`
	Secret  string    `json:"secret,omitempty"` // its SHA-256, hexadecimal; empty if it never had one
	Added   time.Time `json:"added,omitzero"`
	Revoked time.Time `json:"revoked,omitzero"` // since when it is kept out; zero if it is not
}

// Local is what the names of workers in the process that trains begin with, and the name in the log of a run that plays by itself.
// Nobody else may have such a name.
const Local = "local"

// IsLocal reports whether a name in the log of games is one of the process that trains.
func IsLocal(logged string) bool { return logged == Local || Owns(Local, logged) }

// List is the file with the named workers of a run.
type List string

var credentialName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,48}$`)

// CheckName refuses a name that a worker cannot be added with.
func CheckName(name string) error {
	switch {
	case !credentialName.MatchString(name):
		return fmt.Errorf("a worker cannot have the name %q: allowed are letters, digits, - and _, at least 1 and at most 48", name)
	case name == Local:
		return fmt.Errorf("the name %q is that of the worker in the process that trains: choose another", name)
	}
	return nil
}

// Add gives a worker a credential, which is the content of its token file. It is not kept, and cannot be had again. A worker that
// was revoked may be added anew.
func (l List) Add(name string, now time.Time) (credential string, err error) {
	if err := CheckName(name); err != nil {
		return "", err
	}
	secret := rand.Text() // 130 random bits: a fast hash is as good as a slow one
	err = l.change(func(workers []Worker) ([]Worker, error) {
		i := index(workers, name)
		switch {
		case i < 0:
			workers = append(workers, Worker{})
			i = len(workers) - 1
		case workers[i].Revoked.IsZero():
			return nil, fmt.Errorf("there is a worker %q already: revoke it before, or choose another name", name)
		}
		workers[i] = Worker{Name: name, Secret: digest(secret), Added: now.UTC().Truncate(time.Second)}
		return workers, nil
	})
	if err != nil {
		return "", err
	}
	return name + ":" + secret, nil
}

// Revoke keeps a worker out from now on. The name is that of Add, or one as the log of games has it; own says whether the worker
// had a credential of its own. Without one, it can come back under another name until there is another token.
func (l List) Revoke(name string, now time.Time) (own bool, err error) {
	err = l.change(func(workers []Worker) ([]Worker, error) {
		i := index(workers, name)
		if i < 0 { // a worker that was added may have the name that another has in the log
			i = slices.IndexFunc(workers, func(w Worker) bool { return Owns(w.Name, name) })
		}
		if i < 0 {
			workers = append(workers, Worker{Name: name})
			i = len(workers) - 1
		}
		if workers[i].Revoked.IsZero() {
			workers[i].Revoked = now.UTC().Truncate(time.Second)
		}
		own = workers[i].Secret != ""
		return workers, nil
	})
	return own, err
}

// Workers lists those that the file names, in the order in which they were added; none, not nil, where there is no file.
func (l List) Workers() ([]Worker, error) {
	content, err := os.ReadFile(string(l))
	if errors.Is(err, fs.ErrNotExist) {
		return []Worker{}, nil
	}
	if err != nil {
		return nil, err
	}
	var workers []Worker
	if err := json.Unmarshal(content, &workers); err != nil {
		return nil, fmt.Errorf("%s is damaged (%w): restore it from a copy, or remove it and add the workers anew", l, err)
	}
	return workers, nil
}

// change replaces the file, whole, by what edit makes of it. Changes by several processes come one after the other.
func (l List) change(edit func([]Worker) ([]Worker, error)) error {
	lock := flock.New(string(l) + ".lock")
	if err := lock.Lock(); err != nil {
		return err
	}
	defer lock.Unlock()
	workers, err := l.Workers()
	if err != nil {
		return err
	}
	if workers, err = edit(workers); err != nil {
		return err
	}
	text, err := json.MarshalIndent(workers, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.WriteBytes(string(l), 0o600, append(text, '\n'))
}

func index(workers []Worker, name string) int {
	return slices.IndexFunc(workers, func(w Worker) bool { return w.Name == name })
}

func digest(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

var spoolPart = regexp.MustCompile(`^[A-Z2-7]{8}$`)

// Owns reports whether a name in the log of games is one of a named worker: its name, a dash, and eight characters that tell its
// spools apart.
func Owns(name, logged string) bool {
	rest, found := strings.CutPrefix(logged, name+"-")
	return found && spoolPart.MatchString(rest)
}

package cluster

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/gofrs/flock"

	"tengen/cluster/natslog"
	"tengen/internal/atomicfile"
	"tengen/replay"
)

// spool is a worker's folder: its name, the next number of a game, and the games that the server has not acknowledged, in batches.
// One process has it at a time. It may be used by several goroutines at once.
type spool struct {
	dir     string
	lock    *flock.Flock
	pending chan spooledGame // to be sent; a full channel makes put wait
	unsent  atomic.Int64     // games

	mu       sync.Mutex
	identity identity
	next     uint64
}

// identity is the content of the file worker.json.
type identity struct {
	Worker string `json:"worker"` // the worker's name, which no other has
	Run    string `json:"run"`    // that the games belong to, as in the settings
	Next   uint64 `json:"next"`   // no number from here on has been used
	Salt   string `json:"salt"`   // as in natslog.AppenderConfig
}

const identityFile = "worker.json"

// numbersAtOnce is how many numbers of games are set aside by one write of the identity.
const numbersAtOnce = 1000

// openSpool opens a folder, or makes it with a name that begins with host. When limit games wait in it, put waits.
func openSpool(dir, host string, limit int) (s *spool, err error) {
	lock, err := natslog.LockFolder(dir)
	if err != nil {
		return nil, fmt.Errorf("cannot open the spool: %w", err)
	}
	defer func() {
		if err != nil {
			lock.Unlock()
			err = fmt.Errorf("cannot open the spool %s: %w", dir, err)
		}
	}()
	s = &spool{dir: dir, lock: lock}
	if err := s.readIdentity(host); err != nil {
		return nil, err
	}
	if err := s.findUnsent(limit); err != nil {
		return nil, err
	}
	s.next = s.identity.Next
	return s, nil
}

// findUnsent finds what other processes have left.
func (s *spool) findUnsent(limit int) error {
	entries, err := os.ReadDir(s.dir) // sorted
	if err != nil {
		return err
	}
	var games []spooledGame
	for _, e := range entries {
		name := s.path(e.Name())
		if half, _ := filepath.Match(atomicfile.TempPattern, e.Name()); half {
			os.Remove(name) // of a process that was killed
		}
		newest, ok := batchNumber(e.Name())
		if !ok {
			continue
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		games = append(games, newBatch(name, unpack(content))...)
		s.identity.Next = max(s.identity.Next, newest+1)
	}
	s.pending = make(chan spooledGame, max(limit, len(games)))
	for _, g := range games {
		s.pending <- g
	}
	s.unsent.Store(int64(len(games)))
	return nil
}

// WorkerName returns the name of the worker whose spool a folder is. If there is none, it is made, and its worker gets a name that
// begins with host. No other process may have it.
func WorkerName(dir, host string) (string, error) {
	s, err := openSpool(dir, host, 0)
	if err != nil {
		return "", err
	}
	return s.identity.Worker, errors.Join(s.save(), s.close())
}

func (s *spool) readIdentity(host string) error {
	content, err := os.ReadFile(s.path(identityFile))
	if errors.Is(err, fs.ErrNotExist) {
		s.identity = identity{Worker: newName(host), Salt: rand.Text()}
		return nil
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(content, &s.identity); err != nil || s.identity.Worker == "" {
		return fmt.Errorf("%s is damaged (%v): remove it, and the worker gets a new name", identityFile, err)
	}
	if err := natslog.CheckWorker(s.identity.Worker); err != nil {
		return fmt.Errorf("%s: %w: remove it, and the worker gets a new name", identityFile, err)
	}
	if s.identity.Salt == "" { // of an earlier version
		s.identity.Salt = rand.Text()
	}
	return nil
}

// newName makes a worker's name that no other has, and that begins with as much of host as may stand there.
func newName(host string) string {
	const most = 48
	host = strings.Map(func(r rune) rune {
		if natslog.CheckWorker(string(r)) != nil {
			return '-'
		}
		return r
	}, host)
	return fmt.Sprintf("%s-%s", host[:min(len(host), most)], rand.Text()[:8])
}

// join makes the spool that of a run. Games of another must have been sent before.
func (s *spool) join(run string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := s.unsent.Load(); n > 0 && s.identity.Run != run {
		return fmt.Errorf("%s holds %d games that another run has not got yet: connect to that run, or choose another spool", s.dir, n)
	}
	s.identity.Run = run
	return s.save()
}

func (s *spool) save() error {
	text, err := json.Marshal(s.identity)
	if err != nil {
		return err
	}
	return atomicfile.WriteBytes(s.path(identityFile), 0o644, append(text, '\n'))
}

// number returns the number of a new game, which no process has ever had from this spool. That of a game that is lost stays unused.
func (s *spool) number() (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == s.identity.Next {
		s.identity.Next += numbersAtOnce
		if err := s.save(); err != nil {
			s.identity.Next = s.next // these numbers are not set aside: whoever asks next has to do so
			return 0, err
		}
	}
	s.next++
	return s.next - 1, nil
}

// put keeps finished games, at least one, in a file of their own. It returns when they are safe, and after that waits while too many
// are unsent, until ctx ends. After an error none of them counts as kept, though the next process may find
// them.
func (s *spool) put(ctx context.Context, games []*replay.Record) error {
	messages := make([][]byte, len(games))
	newest := uint64(0)
	for i, g := range games {
		message, err := natslog.Encode(s.identity.Worker, g)
		if err != nil {
			return err
		}
		messages[i], newest = message, max(newest, g.Number)
	}
	content := pack(messages)
	name := s.path(batchName(newest))
	if err := atomicfile.WriteBytes(name, 0o644, content); err != nil {
		return err
	}
	s.unsent.Add(int64(len(games)))
	for _, g := range newBatch(name, unpack(content)) {
		select {
		case s.pending <- g:
		case <-ctx.Done(): // the next process finds it
		}
	}
	return nil
}

// get reads a game that put has kept. One that is damaged, or of another worker, is given up, a copy of its file is set aside, and
// the error wraps replay.ErrDamaged. One that a later version of the program has kept stays where it is, and the
// error wraps replay.ErrVersion.
func (s *spool) get(kept spooledGame) (*replay.Record, error) {
	message, err := kept.read()
	if err != nil {
		return nil, err
	}
	worker, g, err := natslog.Decode(message)
	if err == nil && worker != s.identity.Worker {
		err = fmt.Errorf("it is a game of worker %s", worker)
	}
	switch {
	case err == nil:
		return g, nil
	case errors.Is(err, replay.ErrVersion):
		return nil, fmt.Errorf("the unsent game %s: %w", kept.batch.file, err)
	}
	aside, copying := kept.batch.setAside()
	if copying == nil {
		copying = s.remove(kept)
	}
	if copying != nil {
		return nil, copying
	}
	return nil, fmt.Errorf("an unsent game is set aside in %s: %w: %w", aside, replay.ErrDamaged, err)
}

// remove forgets a game that the server has acknowledged.
func (s *spool) remove(g spooledGame) error {
	s.unsent.Add(-1)
	return g.batch.release()
}

func (s *spool) path(name string) string { return filepath.Join(s.dir, name) }

func (s *spool) close() error { return s.lock.Unlock() }

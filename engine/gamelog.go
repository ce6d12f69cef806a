package engine

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"tengen/cluster"
	"tengen/cluster/access"
	"tengen/cluster/natslog"
	"tengen/internal/atomicfile"
)

// gamesFolder is the folder of a run directory with the log of its games.
const gamesFolder = "games"

// EmbeddedRun is the name of the only run in a run directory's own server.
const EmbeddedRun = natslog.EmbeddedRun

// embeddedPatience is for how long a run tries to write to the log in its directory; 0 is natslog's own. Tests have less.
var embeddedPatience time.Duration

// For how long a server knows a game that is sent again. In a run by itself there is no network to lose an answer.
const (
	localDuplicates   = 10 * time.Second
	networkDuplicates = 2 * time.Minute
)

// gameLog is the log of a run's games on a server in this process, or elsewhere.
type gameLog struct {
	*natslog.Log
	server *natslog.Server // nil if it is elsewhere
	conn   *nats.Conn
	run    string // its name on the server

	leadership *natslog.Leadership // of those who train a run on a server elsewhere, else nil
	leading    context.Context     // ends with it
}

// openGameLog opens the log of the run in a directory, on the server that the configuration names: to train the run, which one process
// does at a time, or to read only. report is told what the run's own server finds damaged, and when one elsewhere does not answer.
func openGameLog(ctx context.Context, dir string, cfg cluster.Config, train bool, report func(message string)) (_ *gameLog, err error) {
	l := &gameLog{run: EmbeddedRun}
	defer func() {
		if err != nil {
			l.Close()
		}
	}()
	tell := func(err error) { report(fmt.Sprintf("the games of run %s: %v", l.run, err)) }
	log := natslog.LogConfig{Run: EmbeddedRun, Report: tell, Duplicates: localDuplicates, Patience: embeddedPatience}
	if cfg.Distributed() {
		log.Duplicates = networkDuplicates
	}
	if cfg.Server != "" {
		l.run = cfg.Run
		log.Run, log.Replicas, log.Patience, log.Waiting = cfg.Run, cfg.Replicas, -1, tell
		l.conn, err = natslog.Dial(ctx, natslog.ClientConfig{
			URL: cfg.Server, Name: "tengen train", TokenFile: cfg.TokenFile, Credentials: cfg.Credentials, CA: cfg.CA, OnError: tell,
		})
	} else if l.server, err = startServer(dir, cfg, report); err == nil {
		l.conn, err = l.server.Connect(ctx)
	}
	if err == nil && train && cfg.Server != "" { // the lock of the directory does for a server of its own
		l.leadership, l.leading, err = natslog.Lead(ctx, l.conn, cfg.Run, dir, cfg.Replicas, natslog.LeaderTerm, log.Waiting)
	}
	if err != nil {
		return nil, err
	}
	if l.Log, err = natslog.OpenLog(ctx, l.conn, log); err != nil {
		if l.server != nil { // which keeps to itself where it could not write
			err = fmt.Errorf("the game server in %s: %w", filepath.Join(dir, gamesFolder), err)
		}
		return nil, err
	}
	return l, nil
}

// startServer starts the server of a run directory, open to workers if the configuration says so.
func startServer(dir string, cfg cluster.Config, report func(message string)) (*natslog.Server, error) {
	server := natslog.ServerConfig{
		Dir:       filepath.Join(dir, gamesFolder),
		MaxMemory: int64(cfg.MaxMemoryMegabytes) << 20,
		MaxDisk:   int64(cfg.MaxDiskMegabytes) << 20,
		Report:    report,
	}
	if cfg.Listen != "" {
		if err := checkToken(dir, cfg); err != nil {
			return nil, err
		}
		gate := access.NewGate(tokenFile(dir, cfg), workerList(dir), caughtList(dir), func(err error) { report(err.Error()) })
		server.Listen, server.Admit, server.CertFile, server.KeyFile = cfg.Listen, gate.Admit, cfg.CertFile, cfg.KeyFile
	}
	s, err := natslog.StartServer(server)
	if errors.Is(err, natslog.ErrManyUnreadable) {
		err = fmt.Errorf("%w, or take them out with: tengen replay repair %s --force", err, dir)
	}
	return s, err
}

// RepairRun takes out of the files of a run's games what cannot be read, which stays beside them: what a disk spoils now and then,
// or with force everything. report is told of each. Nobody may have the run.
func RepairRun(dir string, force bool, report func(message string)) error {
	folder, err := gamesOf(dir)
	if err != nil {
		return err
	}
	err = natslog.Repair(folder, force, report)
	if errors.Is(err, natslog.ErrManyUnreadable) {
		err = fmt.Errorf("%w, or take them out with --force", err)
	}
	return err
}

// gamesOf is the folder with the games of the run in a directory, which must be there.
func gamesOf(dir string) (string, error) {
	folder := filepath.Join(dir, gamesFolder)
	if !fileExists(folder) {
		return "", fmt.Errorf("%s has no games: there is no folder %s", dir, folder)
	}
	return folder, nil
}

// tokenFile is where the token stands that workers of the run in a directory need.
func tokenFile(dir string, cfg cluster.Config) string {
	if cfg.TokenFile != "" {
		return cfg.TokenFile
	}
	return filepath.Join(dir, "token")
}

// checkToken makes a token if none was named, and refuses to do without.
func checkToken(dir string, cfg cluster.Config) error {
	file := tokenFile(dir, cfg)
	if cfg.TokenFile == "" {
		_, err := Secret(file)
		return err
	}
	content, err := os.ReadFile(file)
	if err == nil && strings.TrimSpace(string(content)) == "" {
		err = errors.New(file + " is empty: it must hold the token")
	}
	return err
}

// whileLeading calls do with a context that ends when this process may not train the run any more; the error is the reason then.
func (l *gameLog) whileLeading(ctx context.Context, do func(context.Context) error) error {
	if l.leading == nil {
		return do(ctx)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(l.leading, func() { cancel(context.Cause(l.leading)) })()
	err := do(ctx)
	if cause := context.Cause(ctx); errors.Is(cause, natslog.ErrLed) {
		return cause
	}
	return err
}

// Close ends the log, the connection and the server.
func (l *gameLog) Close() error {
	var errs []error
	if l.Log != nil {
		errs = append(errs, l.Log.Close())
	}
	if l.leadership != nil {
		l.leadership.Release()
	}
	if l.conn != nil {
		l.conn.Close()
	}
	if l.server != nil {
		errs = append(errs, l.server.Close())
	}
	return errors.Join(errs...)
}

// Secret returns the content of a file that only its owner may read, or makes it with a random text.
func Secret(path string) (string, error) {
	content, err := os.ReadFile(path)
	text := strings.TrimSpace(string(content))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		text = rand.Text()
		return text, atomicfile.WriteBytes(path, 0o600, []byte(text+"\n"))
	case err != nil:
		return "", err
	case text == "":
		return "", fmt.Errorf("%s is empty: remove it, and there will be a new one", path)
	}
	return text, nil
}

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

	"github.com/nats-io/nats.go"

	"tengen/cluster"
	"tengen/cluster/natslog"
	"tengen/internal/atomicfile"
)

// gamesFolder is the folder of a run directory with the log of its games.
const gamesFolder = "games"

// EmbeddedRun is the name of the only run in a run directory's own server.
const EmbeddedRun = "run"

// gameLog is the log of a run's games on a server in this process, or elsewhere.
type gameLog struct {
	*natslog.Log
	server *natslog.Server // nil if it is elsewhere
	conn   *nats.Conn
	run    string // its name on the server
}

// openGameLog opens the log of the run in a directory, on the server that the configuration names. report is told what the
// run's own server finds damaged, and when one elsewhere does not answer.
func openGameLog(ctx context.Context, dir string, cfg cluster.Config, report func(message string)) (_ *gameLog, err error) {
	l := &gameLog{run: EmbeddedRun}
	defer func() {
		if err != nil {
			l.Close()
		}
	}()
	log := natslog.LogConfig{Run: EmbeddedRun}
	if cfg.Server != "" {
		l.run = cfg.Run
		log = natslog.LogConfig{
			Run: cfg.Run, Replicas: cfg.Replicas, Patience: -1,
			Waiting: func(err error) { report(fmt.Sprintf("the games of run %s: %v", cfg.Run, err)) },
		}
		l.conn, err = natslog.Dial(ctx, natslog.ClientConfig{
			URL: cfg.Server, Name: "tengen train", TokenFile: cfg.TokenFile, Credentials: cfg.Credentials, CA: cfg.CA,
		})
	} else if l.server, err = startServer(dir, cfg, report); err == nil {
		l.conn, err = l.server.Connect(ctx)
	}
	if err != nil {
		return nil, err
	}
	if l.Log, err = natslog.OpenLog(ctx, l.conn, log); err != nil {
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
		token, err := readToken(dir, cfg)
		if err != nil {
			return nil, err
		}
		server.Listen, server.Token, server.CertFile, server.KeyFile = cfg.Listen, token, cfg.CertFile, cfg.KeyFile
	}
	return natslog.StartServer(server)
}

// tokenFile is where the token stands that workers of the run in a directory need.
func tokenFile(dir string, cfg cluster.Config) string {
	if cfg.TokenFile != "" {
		return cfg.TokenFile
	}
	return filepath.Join(dir, "token")
}

// readToken reads the token, or makes one if none was named.
func readToken(dir string, cfg cluster.Config) (string, error) {
	file := tokenFile(dir, cfg)
	if cfg.TokenFile == "" {
		return Secret(file)
	}
	content, err := os.ReadFile(file)
	if err == nil && strings.TrimSpace(string(content)) == "" {
		err = errors.New(file + " is empty: it must hold the token")
	}
	return strings.TrimSpace(string(content)), err
}

// Close ends the log, the connection and the server.
func (l *gameLog) Close() error {
	var errs []error
	if l.Log != nil {
		errs = append(errs, l.Log.Close())
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

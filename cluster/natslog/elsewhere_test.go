package natslog

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"tengen/cluster/natslog/natstest"
	"tengen/internal/fulltest"
	"tengen/replay/logtest"
)

// documented are the files of docs/nats, edited as a person would: for the run "run" and the workers "me" and "victim". It returns
// their folder.
func documented(t *testing.T, edits ...string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../docs/nats")); err != nil {
		t.Fatal(err)
	}
	quoted := strconv.Quote(token)
	edit(t, dir, append(edits, "mine", "run", "gpu-1", "me", "gpu-2", "victim",
		"$TENGEN_TRAINER", quoted, "$TENGEN_TOKEN", quoted, "$GPU_1", quoted, "$GPU_2", quoted)...)
	return dir
}

// edit replaces texts in all files of a folder, each by the one behind it.
func edit(t *testing.T, dir string, texts ...string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.conf"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(strings.NewReplacer(texts...).Replace(string(content))), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// aloneOptions are those of server a, without the others.
func aloneOptions(t *testing.T, dir string) *server.Options {
	t.Helper()
	o, err := server.ProcessConfigFile(filepath.Join(dir, "a.conf"))
	if err != nil {
		t.Fatal(err)
	}
	o.StoreDir, o.NoSigs, o.Port = filepath.Join(dir, "store"), true, server.RANDOM_PORT
	o.Cluster, o.Routes = server.ClusterOpts{}, nil
	return o
}

// startAlone starts server a of a folder, without the others.
func startAlone(t *testing.T, dir string) *server.Server {
	t.Helper()
	return natstest.Start(t, aloneOptions(t, dir))
}

// dialAs connects as a user, or with the token alone, in the name of a worker or of none.
func dialAs(t *testing.T, url, user, worker string) *nats.Conn {
	t.Helper()
	cfg := ClientConfig{URL: url, Token: token, Worker: worker}
	if user != "" {
		cfg.Token = user + ":" + token
	}
	conn, err := Dial(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return conn
}

// On a server elsewhere that is configured as the documentation says, a worker can do what it is there for.
func TestElsewhereWorkerRights(t *testing.T) {
	t.Parallel()
	url := startAlone(t, documented(t)).ClientURL()
	trainer, me := dialAs(t, url, "trainer", ""), dialAs(t, url, "me", "me-ABCDEFGH")
	for _, run := range []string{"run", "another"} { // has not begun, is not for workers
		if _, err := OpenModels(t.Context(), me, run, 0, 0); !errors.Is(err, ErrNoLog) {
			t.Errorf("run %s: error %v", run, err)
		}
	}
	checkWorkerMay(t, trainer, 1, me, "me-ABCDEFGH")
}

// It can do no more there than on the run's own server.
func TestElsewhereWorkerMayNot(t *testing.T) {
	fulltest.Only(t)
	t.Parallel()
	url := startAlone(t, documented(t)).ClientURL()
	checkWorkerMayNot(t, dialAs(t, url, "trainer", ""), 1, url, nats.UserInfo("me", token), nats.CustomInboxPrefix("_INBOX.me"))
}

// A worker there speaks for itself alone.
func TestElsewhereWorkerForges(t *testing.T) {
	t.Parallel()
	url := startAlone(t, documented(t)).ClientURL()
	checkForgeries(t, dialAs(t, url, "trainer", ""), dialAs(t, url, "victim", "victim-ABCDEFGH"), dialAs(t, url, "me", "me-ABCDEFGH"))
}

// One token may open everything there, as it did before workers had rights of their own.
func TestElsewhereOneToken(t *testing.T) {
	fulltest.Only(t)
	t.Parallel()
	url := startAlone(t, documented(t, "include accounts.conf", "include token.conf")).ClientURL()
	checkWorkerMay(t, dialAs(t, url, "", ""), 1, dialAs(t, url, "", "me-ABCDEFGH"), "me-ABCDEFGH")
}

// Workers come and go while a server is running, by its files, and the others play on.
func TestElsewhereReload(t *testing.T) {
	fulltest.Only(t)
	t.Parallel()
	dir := documented(t)
	s := startAlone(t, dir)
	trainer, victim := dialAs(t, s.ClientURL(), "trainer", ""), dialAs(t, s.ClientURL(), "victim", "victim-ABCDEFGH")
	lost := make(chan struct{}, 100)
	me, err := Dial(t.Context(), ClientConfig{
		URL: s.ClientURL(), Token: "me:" + token, Worker: "me-ABCDEFGH", OnDisconnect: func(error) { lost <- struct{}{} },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer me.Close()
	_, err = Dial(t.Context(), ClientConfig{URL: s.ClientURL(), Token: "new:" + token, Worker: "new-ABCDEFGH"})
	if !errors.Is(err, nats.ErrAuthorization) {
		t.Errorf("error %v", err)
	}

	edit(t, dir, "user: me,", "user: new,", ".me.", ".new.")
	if err := s.ReloadOptions(aloneOptions(t, dir)); err != nil {
		t.Fatal(err)
	}
	<-lost
	_, err = Dial(t.Context(), ClientConfig{URL: s.ClientURL(), Token: "me:" + token, Worker: "me-ABCDEFGH"})
	if !errors.Is(err, nats.ErrAuthorization) {
		t.Errorf("error %v", err)
	}
	checkWorkerMay(t, trainer, 1, dialAs(t, s.ClientURL(), "new", "new-ABCDEFGH"), "new-ABCDEFGH")
	a, err := OpenAppender(t.Context(), victim, AppenderConfig{Run: "run", Worker: "victim-ABCDEFGH"})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if _, err := a.Append(t.Context(), logtest.Game(1, 9)); err != nil {
		t.Error(err)
	}
}

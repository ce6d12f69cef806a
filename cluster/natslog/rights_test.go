package natslog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tengen/internal/frame"
	"tengen/replay"
	"tengen/replay/logtest"
)

// reports collects what a server reports.
type reports struct {
	mu  sync.Mutex
	all []string
}

func (r *reports) add(message string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, message)
}

// wait returns when a report contains part.
func (r *reports) wait(t *testing.T, part string) {
	t.Helper()
	eventually(t, "a report that says "+part, func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return slices.ContainsFunc(r.all, func(message string) bool { return strings.Contains(message, part) })
	})
}

// eventually waits, generously, until something is so.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("after a minute there is not %s", what)
		}
	}
}

// guarded starts a server that admits any worker with the token.
func guarded(t *testing.T) (*Server, *reports) {
	t.Helper()
	told := &reports{}
	return startServer(t, ServerConfig{Listen: "127.0.0.1:0", Report: told.add, Admit: func(user, secret, worker string) error {
		if user != "" || secret != token {
			return errors.New("a wrong token")
		}
		return nil
	}}), told
}

func dialWorker(t *testing.T, url, name string) *nats.Conn {
	t.Helper()
	conn, err := Dial(t.Context(), ClientConfig{URL: url, Token: token, Worker: name})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return conn
}

// A worker can do what it is there for.
func TestWorkerRights(t *testing.T) {
	t.Parallel()
	s, _ := guarded(t)
	const name = "host.lan-ABCDEFGH"
	checkWorkerMay(t, connect(t, s), 1, dialWorker(t, s.URL(), name), name)
}

// checkWorkerMay has a worker send games, and read an entry and a model, on servers that keep everything so many times.
func checkWorkerMay(t *testing.T, trainer *nats.Conn, replicas int, conn *nats.Conn, name string) {
	t.Helper()
	l := openLog(t, trainer, LogConfig{Replicas: replicas})
	models, err := OpenModels(t.Context(), trainer, "run", replicas, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer models.Close()
	a, err := OpenAppender(t.Context(), conn, AppenderConfig{Run: "run", Worker: name})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	var sending sync.WaitGroup // so that some go together
	for i := range uint64(5) {
		sending.Go(func() {
			if _, err := a.Append(t.Context(), logtest.Game(i, 9)); err != nil {
				t.Error(err)
			}
		})
	}
	sending.Wait()
	entries := logtest.Entries(t, l, 0)
	for _, e := range entries {
		if e.Err != nil || e.Worker != name {
			t.Errorf("entry %d is of %q: %v", e.Sequence, e.Worker, e.Err)
		}
	}
	if len(entries) != 5 {
		t.Errorf("the log has %d entries, want 5", len(entries))
	}

	leases, err := trainer.Subscribe(LeaseSubjects("run"), func(m *nats.Msg) { m.Respond([]byte(LeaseWorker(m.Subject))) })
	if err != nil {
		t.Fatal(err)
	}
	defer leases.Unsubscribe()
	eventually(t, "a lease", func() bool { // a cluster hears of the subscription in its own time
		answer, err := conn.Request(LeaseSubject("run", name), nil, time.Minute)
		return err == nil && string(answer.Data) == name
	})

	theirs, err := OpenModels(t.Context(), conn, "run", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close()
	changed, stop, err := theirs.Bucket().Watch("order")
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	eventually(t, "the news of a change", func() bool {
		if err := models.Bucket().Put(t.Context(), "order", 7); err != nil {
			t.Fatal(err)
		}
		select {
		case <-changed:
			return true
		case <-time.After(time.Second):
			return false
		}
	})
	model := []byte(strings.Repeat("a model", 100_000))
	d, err := models.Publish(t.Context(), 1, model)
	if err != nil {
		t.Fatal(err)
	}
	checkFetch(t, theirs, d, model)
	var order int
	if err := theirs.Bucket().Get(t.Context(), "order", &order); err != nil || order != 7 {
		t.Errorf("the order is %d, %v", order, err)
	}
}

// attempts are what a worker tries that it may not do. Each is a message, and some ask for the answer where it would do harm.
func attempts(t *testing.T, model string) []*nats.Msg {
	t.Helper()
	forged, err := Encode("other-ABCDEFGH", logtest.Game(1, 9))
	if err != nil {
		t.Fatal(err)
	}
	list := []*nats.Msg{
		{Subject: "games.run", Data: forged},
		{Subject: "games.run.other.ABCDEFGH", Data: forged},
		{Subject: "games.run.other-ABCDEFGH", Data: forged},
		{Subject: "games.run.me.ABCDEFGH", Data: forged},
		{Subject: "lease.run.other.ABCDEFGH", Data: []byte("a request of another worker")},
		{Subject: "games.another.me.ABCDEFGH", Data: []byte("a game of another run")},
		{Subject: "$KV.tengen-run.settings", Data: []byte("{}")},
		{Subject: "$KV.tengen-run.order", Data: []byte("{}")},
		{Subject: "$KV.tengen-run.order", Header: nats.Header{"KV-Operation": {"PURGE"}, "Nats-Rollup": {"sub"}}},
		{Subject: "$KV.tengen-run.games", Data: []byte("1 18446744073709551615 00000000")},
		{Subject: "$KV.tengen-run.leader", Data: []byte("{}")},
		{Subject: "models.run." + model + ".0", Data: []byte("garbage")},
		{Subject: "$O.models-run.C.x", Data: []byte("garbage")},
		{Subject: "changed.run.order"},
		{Subject: "$SYS.REQ.SERVER.PING"},
		{Subject: "$SYS.REQ.ACCOUNT.PING.CONNZ"},
		{Subject: "$JS.API.INFO"},
		{Subject: "$JS.API.STREAM.NAMES"},
		{Subject: "$JS.API.STREAM.LIST"},
		{Subject: "$JS.API.STREAM.CREATE.mine", Data: []byte(`{"name":"mine","subjects":["mine"],"storage":"memory"}`)},
		{Subject: "$JS.API.STREAM.MSG.GET.games-run", Data: []byte(`{"seq":1}`)},
		{Subject: "$JS.API.DIRECT.GET.games-run", Data: []byte(`{"seq":1}`)},
		{Subject: "$JS.API.DIRECT.GET.models-run", Data: []byte(`{"seq":1}`)},
		{Subject: "$JS.API.STREAM.MSG.GET.models-run", Data: []byte(`{"seq":1}`)},
		// Allowed requests, whose answers are asked for in a place that they would change.
		{Subject: "games.run.me.ABCDEFGH", Reply: "$KV.tengen-run.order", Data: []byte("x")},
		{Subject: "games.run.me.ABCDEFGH", Reply: "games.run.other.ABCDEFGH", Data: []byte("x")},
		{Subject: "games.run.me.ABCDEFGH", Reply: "$JS.API.STREAM.DELETE.games-run", Data: []byte("x")},
		{Subject: "$JS.API.STREAM.INFO.games-run", Reply: "$KV.tengen-run.order"},
		{Subject: "$JS.API.STREAM.INFO.games-run", Reply: "games.run.other.ABCDEFGH"},
		{Subject: "$JS.API.STREAM.INFO.games-run", Reply: "lease.run.other.ABCDEFGH"},
		{Subject: "$JS.API.STREAM.MSG.GET.KV_tengen-run", Reply: "$KV.tengen-run.order", Data: []byte(`{"last_by_subj":"$KV.tengen-run.settings"}`)},
		{Subject: "games.run.me.ABCDEFGH", Data: []byte("x"), Header: nats.Header{"Nats-Rollup": {"all"}}},
		{Subject: "games.run.me.ABCDEFGH", Data: []byte("x"), Header: nats.Header{"Nats-Rollup": {"sub"}}},
		{Subject: "games.run.me.ABCDEFGH", Data: []byte("x"), Header: nats.Header{"Nats-TTL": {"1s"}}},
	}
	for _, stream := range []string{"games-run", "KV_tengen-run", "models-run", "OBJ_models-run"} {
		for verb, body := range map[string]string{
			"STREAM.DELETE":             "",
			"STREAM.PURGE":              "",
			"STREAM.UPDATE":             `{"name":"` + stream + `","subjects":["x"]}`,
			"STREAM.MSG.DELETE":         `{"seq":1}`,
			"STREAM.SNAPSHOT":           `{"deliver_subject":"_INBOX.me-ABCDEFGH.x"}`,
			"STREAM.LEADER.STEPDOWN":    "",
			"CONSUMER.CREATE":           `{"stream_name":"` + stream + `","config":{"deliver_subject":"$KV.tengen-run.order","ack_policy":"none"}}`,
			"CONSUMER.CREATE.%s.c":      `{"stream_name":"` + stream + `","config":{"name":"c","ack_policy":"none"}}`,
			"CONSUMER.DURABLE.CREATE.c": `{"stream_name":"` + stream + `","config":{"durable_name":"c","ack_policy":"explicit"}}`,
			"CONSUMER.NAMES":            "",
		} {
			subject := "$JS.API." + verb + "." + stream
			if strings.Contains(verb, "%s") {
				subject = "$JS.API." + fmt.Sprintf(verb, stream)
			}
			list = append(list, &nats.Msg{Subject: subject, Data: []byte(body)})
		}
	}
	return list
}

// Whatever a worker sends, the run's entries, models and the games of others stay as they were; it hears nothing that is not for it,
// and the worst of what it may send is an entry in the log that counts as damaged.
func TestWorkerMayNot(t *testing.T) {
	t.Parallel()
	s, told := guarded(t)
	checkWorkerMayNot(t, connect(t, s), 1, s.URL(), nats.Token(token), nats.Name("me-ABCDEFGH/session"), nats.CustomInboxPrefix("_INBOX.me-ABCDEFGH"))
	told.wait(t, "Subscription Violation")
}

// entryKeys are those of some entries of a run, each of which holds its key.
var entryKeys = []string{"settings", "order", "leader"}

// checkWorkerMayNot has a worker that may be me-ABCDEFGH try all that it may not.
func checkWorkerMayNot(t *testing.T, trainer *nats.Conn, replicas int, url string, login ...nats.Option) {
	t.Helper()
	l := openLog(t, trainer, LogConfig{Replicas: replicas})
	logtest.Fill(t, l, "local-ABCDEFGH", 5)
	if err := l.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	models, err := OpenModels(t.Context(), trainer, "run", replicas, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer models.Close()
	bytes := []byte(strings.Repeat("a model", 1000))
	model, err := models.Publish(t.Context(), 1, bytes)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range entryKeys {
		if err := models.Bucket().Put(t.Context(), key, key); err != nil {
			t.Fatal(err)
		}
	}
	streams := streamNames(t, trainer)
	leases, err := trainer.SubscribeSync(LeaseSubjects("run"))
	if err != nil {
		t.Fatal(err)
	}
	defer leases.Unsubscribe()
	if err := trainer.Flush(); err != nil {
		t.Fatal(err)
	}

	refused := make(chan error, 1000)
	me, err := nats.Connect(url, append(login, nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { refused <- err }))...)
	if err != nil {
		t.Fatal(err)
	}
	defer me.Close()
	for _, subject := range []string{">", "*", "$KV.>", "games.>", "games.run.other.ABCDEFGH", "_INBOX.>", "_INBOX.other.>", "$SYS.>", "$JS.>", "models.>"} {
		if _, err := me.SubscribeSync(subject); err != nil {
			t.Fatal(err)
		}
		if err := me.Flush(); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-refused:
			if !errors.Is(err, nats.ErrPermissionViolation) {
				t.Errorf("subscribing to %s: %v", subject, err)
			}
		case <-time.After(time.Minute):
			t.Errorf("a worker may subscribe to %s", subject)
		}
	}
	answered := map[string]string{} // by the subjects of answers, what was asked
	inbox := me.NewInbox()
	answers, err := me.SubscribeSync(inbox + ".*")
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range attempts(t, model.Name) {
		if m.Reply == "" {
			m.Reply = fmt.Sprint(inbox, ".", i)
			answered[m.Reply] = m.Subject
		}
		if err := me.PublishMsg(m); err != nil {
			t.Fatal(err)
		}
	}
	if err := me.Flush(); err != nil {
		t.Fatal(err)
	}

	// An answer that is on its way comes before that of a request which is made later on the same connection.
	if _, err := me.Request("$JS.API.STREAM.INFO.games-run", nil, time.Minute); err != nil {
		t.Fatal(err)
	}
	for {
		answer, err := answers.NextMsg(time.Second)
		if errors.Is(err, nats.ErrNoResponders) {
			continue
		}
		if err != nil {
			break
		}
		if asked := answered[answer.Subject]; strings.HasPrefix(asked, "$") {
			t.Errorf("%s is answered: %.200q", asked, answer.Data)
		}
	}
	for lease, err := leases.NextMsg(time.Second); err == nil; lease, err = leases.NextMsg(time.Second) {
		if lease.Subject != "lease.run.me.ABCDEFGH" {
			t.Errorf("on %s comes %.100q", lease.Subject, lease.Data)
		}
	}
	var text string
	for _, key := range entryKeys {
		if err := models.Bucket().Get(t.Context(), key, &text); err != nil || text != key {
			t.Errorf("the entry %s is %q by now, %v", key, text, err)
		}
	}
	checkFetch(t, models, model, bytes)
	if now := streamNames(t, trainer); !slices.Equal(now, streams) {
		t.Errorf("the streams are %v by now, they were %v", now, streams)
	}
	logtest.Fill(t, l, "local-ABCDEFGH", 3)
	good := 0
	for _, e := range logtest.Entries(t, l, 0) {
		switch {
		case e.Err == nil && e.Worker == "local-ABCDEFGH":
			good++
		case e.Err == nil:
			t.Errorf("entry %d is a game of %s", e.Sequence, e.Worker)
		case !errors.Is(e.Err, replay.ErrDamaged) && !errors.Is(e.Err, replay.ErrDuplicate):
			t.Errorf("entry %d: %v", e.Sequence, e.Err)
		}
	}
	if good != 5 {
		t.Errorf("%d games, want 5", good)
	}
	check, err := OpenLog(t.Context(), trainer, LogConfig{Run: "run"})
	if err != nil {
		t.Fatal(err)
	}
	check.Close()
}

func streamNames(t *testing.T, conn *nats.Conn) (names []string) {
	t.Helper()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	for name := range js.StreamNames(t.Context()).Name() {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// What a worker says in its own place is believed as far as its own games go: garbage, games in the name of others and games that
// are sent again are each an entry with an error.
func TestWorkerForges(t *testing.T) {
	t.Parallel()
	s, _ := guarded(t)
	checkForgeries(t, connect(t, s), dialWorker(t, s.URL(), "victim-ABCDEFGH"), dialWorker(t, s.URL(), "me-ABCDEFGH"))
}

// checkForgeries has me-ABCDEFGH send what is not its own, and victim-ABCDEFGH a game.
func checkForgeries(t *testing.T, trainer, victim, forger *nats.Conn) {
	t.Helper()
	l := openLog(t, trainer, LogConfig{})
	a, err := OpenAppender(t.Context(), victim, AppenderConfig{Run: "run", Worker: "victim-ABCDEFGH"})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	stolen, err := Encode("victim-ABCDEFGH", logtest.Game(1, 9))
	if err != nil {
		t.Fatal(err)
	}
	own, err := Encode("me-ABCDEFGH", logtest.Game(1, 9))
	if err != nil {
		t.Fatal(err)
	}
	later := frame.Seal([]byte{messageVersion + 1})
	me, err := jetstream.New(forger)
	if err != nil {
		t.Fatal(err)
	}
	for _, message := range [][]byte{{}, []byte("garbage"), stolen, later, own, own} {
		if _, err := me.Publish(t.Context(), "games.run.me.ABCDEFGH", message); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := a.Append(t.Context(), logtest.Game(1, 9)); err != nil {
		t.Fatal(err)
	}
	want := []error{replay.ErrDamaged, replay.ErrDamaged, replay.ErrDamaged, replay.ErrVersion, nil, replay.ErrDuplicate, nil}
	entries := logtest.Entries(t, l, 0)
	if len(entries) != len(want) {
		t.Fatalf("%d entries, want %d", len(entries), len(want))
	}
	for i, e := range entries {
		if !errors.Is(e.Err, want[i]) {
			t.Errorf("entry %d: %v, want %v", e.Sequence, e.Err, want[i])
		}
	}
	if e := entries[len(entries)-1]; e.Worker != "victim-ABCDEFGH" || e.Game == nil {
		t.Errorf("the game of the victim is %+v", e)
	}
}

// A worker's game that carries the identifier under which another's next game will come does not take its place.
func TestWorkerTakesIdentifiers(t *testing.T) {
	t.Parallel()
	s, _ := guarded(t)
	l := openLog(t, connect(t, s), LogConfig{})
	a, err := OpenAppender(t.Context(), dialWorker(t, s.URL(), "victim-ABCDEFGH"), AppenderConfig{Run: "run", Worker: "victim-ABCDEFGH", Salt: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	me, err := jetstream.New(dialWorker(t, s.URL(), "me-ABCDEFGH"))
	if err != nil {
		t.Fatal(err)
	}
	g := logtest.Game(1, 9)
	stolen, err := Encode("victim-ABCDEFGH", g)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := me.Publish(t.Context(), "games.run.me.ABCDEFGH", []byte("x"), jetstream.WithMsgID(messageID("", stolen))); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Append(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	entries := logtest.Entries(t, l, 0)
	if n := len(entries); n != 2 || entries[1].Game == nil {
		t.Errorf("the log has %d entries: %+v", n, entries)
	}
}

// A name is had by one connection at a time. The process that has it may take it along to another connection.
func TestWorkerNames(t *testing.T) {
	t.Parallel()
	s, told := guarded(t)
	first, err := Dial(t.Context(), ClientConfig{URL: s.URL(), Token: token, Worker: "w-ABCDEFGH"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = Dial(t.Context(), ClientConfig{URL: s.URL(), Token: token, Worker: "w-ABCDEFGH"})
	wantError(t, err, "worker w-ABCDEFGH is revoked or connected already")
	told.wait(t, "another connection plays as worker w-ABCDEFGH: is the spool a copy?")
	dialWorker(t, s.URL(), "v-ABCDEFGH")
	if err := first.ForceReconnect(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a connection", func() bool { return first.IsConnected() && first.Flush() == nil })
	first.Close()
	eventually(t, "the free name", func() bool {
		conn, err := Dial(t.Context(), ClientConfig{URL: s.URL(), Token: token, Worker: "w-ABCDEFGH"})
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	for _, name := range []string{"", "a b/x", strings.Repeat("x", 65), "games.>", "\x1b[2J"} {
		conn, err := nats.Connect(s.URL(), nats.Token(token), nats.Name(name))
		if err == nil {
			conn.Close()
			t.Errorf("a worker may have the name %q", name)
		}
	}
}

// Who is not admitted any more is cut off and cannot come back.
func TestWorkerIsRevoked(t *testing.T) {
	t.Parallel()
	told := &reports{}
	var mu sync.Mutex
	revoked := ""
	s := startServer(t, ServerConfig{Listen: "127.0.0.1:0", Report: told.add, Admit: func(_, secret, worker string) error {
		mu.Lock()
		defer mu.Unlock()
		if secret != token || worker == revoked {
			return errors.New("it is revoked")
		}
		return nil
	}})
	openLog(t, connect(t, s), LogConfig{})
	lost := make(chan struct{}, 100)
	conn, err := Dial(t.Context(), ClientConfig{URL: s.URL(), Token: token, Worker: "bad-ABCDEFGH", OnDisconnect: func(error) { lost <- struct{}{} }})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	good := dialWorker(t, s.URL(), "good-ABCDEFGH")
	a, err := OpenAppender(t.Context(), conn, AppenderConfig{Run: "run", Worker: "bad-ABCDEFGH", Patience: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	mu.Lock()
	revoked = "bad-ABCDEFGH"
	mu.Unlock()
	<-lost
	told.wait(t, "the connection of worker bad-ABCDEFGH is cut: it is revoked")
	told.wait(t, "is refused: it is revoked") // it has tried again
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	if _, err := a.Append(ctx, logtest.Game(1, 9)); err == nil {
		t.Error("a revoked worker has sent a game")
	}
	if err := good.Flush(); err != nil {
		t.Error(err)
	}
}

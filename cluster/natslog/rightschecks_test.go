package natslog

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tengen/replay"
	"tengen/replay/logtest"
)

// What a worker may do, and what not, on any server.

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
	checkHearsNothing(t, me, refused)
	checkUnanswered(t, me, attempts(t, model.Name))
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
	checkLogIsWhole(t, l)
	check, err := OpenLog(t.Context(), trainer, LogConfig{Run: "run"})
	if err != nil {
		t.Fatal(err)
	}
	check.Close()
}

// checkHearsNothing has a worker listen where it must not. What it is refused comes to refused.
func checkHearsNothing(t *testing.T, me *nats.Conn, refused <-chan error) {
	t.Helper()
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
}

// checkUnanswered has a worker send what it may not. None of its requests to the server is answered.
func checkUnanswered(t *testing.T, me *nats.Conn, messages []*nats.Msg) {
	t.Helper()
	asked := map[string]string{} // by the subjects of answers
	inbox := me.NewInbox()
	answers, err := me.SubscribeSync(inbox + ".*")
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range messages {
		if m.Reply == "" {
			m.Reply = fmt.Sprint(inbox, ".", i)
			asked[m.Reply] = m.Subject
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
		if request := asked[answer.Subject]; strings.HasPrefix(request, "$") {
			t.Errorf("%s is answered: %.200q", request, answer.Data)
		}
	}
}

// checkLogIsWhole finds the five games of local-ABCDEFGH in a log, and nobody else's.
func checkLogIsWhole(t *testing.T, l *Log) {
	t.Helper()
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

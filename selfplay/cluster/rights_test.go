package cluster

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tengen/selfplay"
)

// site is a server on which a run may be trained, with two workers.
type site struct {
	run, me, other string
	unacknowledged string // subject that acknowledges a task of other
	trainer        *nats.Conn
	connect        func() *nats.Conn // of a trainer
	dial           func(t *testing.T, name string, options ...nats.Option) *nats.Conn
}

// embedded is a run's own server.
func embedded(t *testing.T) site {
	f := newField(t, "me", "other")
	trainer := func() *nats.Conn {
		conn, err := f.server.Connect()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(conn.Close)
		return conn
	}
	return site{EmbeddedRun, "me", "other", "", trainer(), trainer, func(t *testing.T, name string, options ...nats.Option) *nats.Conn {
		return connect(t, f.server.URL(), append(options, nats.UserCredentials(f.token(name)), nats.CustomInboxPrefix(inboxOf(name)))...)
	}}
}

// elsewhere is a server with the documented configuration.
func elsewhere(t *testing.T) site {
	for _, name := range []string{"TRAINER", "GPU_1", "GPU_2"} {
		t.Setenv(name, "secret-of-"+name)
	}
	o, err := server.ProcessConfigFile("../../docs/nats/nats-server.conf")
	if err != nil {
		t.Fatal(err)
	}
	o.Host, o.Port, o.StoreDir, o.NoSigs, o.NoLog = "127.0.0.1", server.RANDOM_PORT, t.TempDir(), true, true
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the server does not start")
	}
	dial := func(t *testing.T, name string, options ...nats.Option) *nats.Conn {
		secret := map[string]string{"trainer": "TRAINER", "gpu-1": "GPU_1", "gpu-2": "GPU_2"}[name]
		file := filepath.Join(t.TempDir(), "token")
		if err := os.WriteFile(file, []byte(name+":secret-of-"+secret+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		cfg := DialConfig{URL: s.ClientURL(), TokenFile: file, Report: func(error) {}}
		login, err := cfg.options()
		if err != nil {
			t.Fatal(err)
		}
		return connect(t, cfg.URL, append(login, options...)...)
	}
	trainer := func() *nats.Conn { return dial(t, "trainer") }
	return site{"mine", "gpu-1", "gpu-2", "", trainer(), trainer, dial}
}

func connect(t *testing.T, url string, options ...nats.Option) *nats.Conn {
	t.Helper()
	conn, err := nats.Connect(url, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return conn
}

func TestRights(t *testing.T) {
	for name, open := range map[string]func(*testing.T) site{"embedded": embedded, "elsewhere": elsewhere} {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			checkRefusals(t, s)
			checkPlays(t, s)
		})
	}
}

// attempts are what a worker tries that it may not do. Some are requests that it may make, whose answers it wants where they
// would do harm.
func (s site) attempts() (list []*nats.Msg) {
	run, me, other := s.run, s.me, s.other
	for _, subject := range []string{
		gamesSubject(run, other), gamesSubject("another", me), statusSubject(run, other), tasksSubject(run, me), trainerSubject(run),
		modelSubject(run, 0, 0), "$KV.run-" + run + ".order", "$KV.run-" + run + ".settings", "$SYS.REQ.SERVER.PING", "$SYS.REQ.ACCOUNT.PING.CONNZ",
		"$JS.API.INFO", "$JS.API.STREAM.NAMES", "$JS.API.STREAM.LIST", "$JS.API.STREAM.CREATE.mine",
		"$JS.API.DIRECT.GET.tasks-" + run,
		"$JS.API.CONSUMER.MSG.NEXT.models-" + run + "." + other, "$JS.API.CONSUMER.INFO.tasks-" + run + "." + me,
		pullSubject(run, other), tasksSubject(run, other), s.unacknowledged,
	} {
		list = append(list, &nats.Msg{Subject: subject, Data: []byte(`{"name":"mine","subjects":["mine"],"storage":"memory"}`)})
	}
	for _, stream := range []string{tasksStream(run), modelsStream(run), "KV_" + runBucket(run)} {
		for _, verb := range []string{
			"STREAM.INFO", "STREAM.DELETE", "STREAM.PURGE", "STREAM.UPDATE", "STREAM.MSG.DELETE", "STREAM.MSG.GET", "STREAM.SNAPSHOT",
			"STREAM.LEADER.STEPDOWN", "CONSUMER.CREATE", "CONSUMER.DURABLE.CREATE", "CONSUMER.NAMES", "CONSUMER.DELETE",
		} {
			list = append(list, &nats.Msg{Subject: "$JS.API." + verb + "." + stream, Data: []byte(`{"seq":1}`)})
			list = append(list, &nats.Msg{Subject: "$JS.API." + verb + "." + stream + "." + other, Data: []byte(
				fmt.Sprintf(`{"stream_name":%q,"config":{"deliver_subject":"$KV.run-%s.order","ack_policy":"none"}}`, stream, run))})
		}
	}
	for _, place := range []string{
		gamesSubject(run, other), gamesSubject(run, me), statusSubject(run, other), tasksSubject(run, me), "$KV.run-" + run + ".order",
		"$JS.API.STREAM.DELETE.tasks-" + run, s.unacknowledged, trainerSubject(run), "_INBOX." + other,
	} {
		list = append(list,
			&nats.Msg{Subject: entryRequest(run, "order"), Reply: place},
			&nats.Msg{Subject: statusSubject(run, me), Reply: place, Data: []byte("x")},
			&nats.Msg{Subject: pullSubject(run, me), Reply: place, Data: []byte(`{"batch":1,"no_wait":true}`)},
			&nats.Msg{Subject: gamesSubject(run, me), Reply: place, Data: []byte("x")})
	}
	return list
}

// checkRefusals has a worker try all that it may not: it hears nothing, changes nothing, and is not heard under another name.
func checkRefusals(t *testing.T, s site) {
	p, err := NewCoordinator(t.Context(), s.connect(), CoordinatorConfig{Run: s.run, Settings: settings(), Report: func(error) {}})
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "an order", func() bool { return s.entry(t, "order") != "" })
	p.Close()
	js := must(jetstream.New(s.trainer))
	idle := &Coordinator{cfg: CoordinatorConfig{Run: s.run}, js: js, members: &members{all: map[string]*member{}}}
	for _, name := range []string{s.me, s.other} {
		if err := idle.openConsumer(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	for range 100 {
		if _, err := js.Publish(t.Context(), tasksSubject(s.run, s.other), encode(task{Model: 0, First: 0, End: 1})); err != nil {
			t.Fatal(err)
		}
	}
	s.unacknowledged = pulled(t, s.dial(t, s.other), s.run, s.other).Reply
	// What comes to the trainer, by subject.
	heard := make(chan *nats.Msg, 10000)
	defer s.trainer.Flush() // the server knows that nothing answers for a trainer any more
	for _, subject := range []string{"games.*.*", "status.>", "$KV.>", "tasks.>", "order.>", "models.>", "trainer.>"} {
		sub, err := s.trainer.ChanSubscribe(subject, heard)
		if err != nil {
			t.Fatal(err)
		}
		defer sub.Unsubscribe()
	}
	for _, subject := range []string{"games.*.*", "status.*.*"} {
		answers, err := s.trainer.Subscribe(subject, func(m *nats.Msg) { m.Respond([]byte(`{}`)) })
		if err != nil {
			t.Fatal(err)
		}
		defer answers.Unsubscribe()
	}
	if err := s.trainer.Flush(); err != nil {
		t.Fatal(err)
	}
	var before string
	eventually(t, "a count of all tasks", func() bool { // the server counts them a little later
		before = s.state(t, js)
		return strings.Contains(before, " 99 tasks to deliver, 1 to acknowledge ")
	})

	refused := make(chan error, 10000)
	me := s.dial(t, s.me, nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { refused <- err }))
	for _, subject := range []string{
		">", "*", "$KV.>", "games.>", "status.>", gamesSubject(s.run, s.other), "_INBOX.>", "_INBOX." + s.other + ".>", "$SYS.>", "$JS.>", "models.>", "tasks.>",
	} {
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
	asked := map[string]string{} // by the subjects of answers
	inbox, answered := me.NewInbox(), make(chan *nats.Msg, 10000)
	if _, err := me.ChanSubscribe(inbox+".*", answered); err != nil {
		t.Fatal(err)
	}
	for i, m := range s.attempts() {
		if m.Reply == "" {
			m.Reply = fmt.Sprint(inbox, ".", i)
			asked[m.Reply] = m.Subject
		}
		if err := me.PublishMsg(m); err != nil {
			t.Fatal(err)
		}
	}
	check := func(m *nats.Msg) {
		if m.Header.Get("Status") == "" {
			t.Errorf("%s is answered: %.200q", asked[m.Subject], m.Data)
		}
	}
	for denied := 0; denied < len(asked); {
		select {
		case err := <-refused:
			if strings.Contains(err.Error(), "Violation for Publish to ") {
				denied++
			}
		case m := <-answered: // that nothing responds to such requests
			check(m)
			denied++
		case <-time.After(time.Minute):
			t.Fatalf("of %d messages, %d are refused", len(asked), denied)
		}
	}
	// Each of these is answered after all earlier requests of its kind. The flush brings what the trainer hears.
	for subject, content := range map[string]string{
		entryRequest(s.run, "order"): "", pullSubject(s.run, s.me): `{"batch":1,"no_wait":true}`, gamesSubject(s.run, s.me): "x", statusSubject(s.run, s.me): "x",
	} {
		if _, err := me.Request(subject, []byte(content), time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(s.trainer.Flush(), me.Flush()); err != nil {
		t.Fatal(err)
	}
	for range len(answered) {
		check(<-answered)
	}
	for range len(heard) {
		if m := <-heard; m.Subject != gamesSubject(s.run, s.me) && m.Subject != statusSubject(s.run, s.me) {
			t.Errorf("on %s comes %.100q", m.Subject, m.Data)
		}
	}
	if now := s.state(t, js); now != before {
		t.Errorf("the run is %s by now, it was %s", now, before)
	}
	me.Close()
}

// pulled is the next task of a worker.
func pulled(t *testing.T, conn *nats.Conn, run, name string) *nats.Msg {
	t.Helper()
	answers, err := conn.SubscribeSync(conn.NewInbox())
	if err != nil {
		t.Fatal(err)
	}
	defer answers.Unsubscribe()
	conn.PublishRequest(pullSubject(run, name), answers.Subject, []byte(`{"batch":1,"expires":5000000000}`))
	m, err := answers.NextMsg(time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (s site) entry(t *testing.T, key string) string {
	t.Helper()
	m, err := s.trainer.Request(entryRequest(s.run, key), nil, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	return string(m.Data)
}

// state is what a worker must not change.
func (s site) state(t *testing.T, js jetstream.JetStream) string {
	t.Helper()
	var names []string
	for name := range js.StreamNames(t.Context()).Name() {
		names = append(names, name)
	}
	slices.Sort(names)
	tasks, err := js.Consumer(t.Context(), tasksStream(s.run), s.other)
	if err != nil {
		t.Fatal(err)
	}
	i := tasks.CachedInfo()
	names = append(names, fmt.Sprint(i.NumPending, " tasks to deliver, ", i.NumAckPending, " to acknowledge"))
	return strings.Join(append(names, s.entry(t, "order"), s.entry(t, "settings")), " ")
}

// checkPlays has workers play a run, with the same tokens.
func checkPlays(t *testing.T, s site) {
	p, err := NewCoordinator(t.Context(), s.connect(), CoordinatorConfig{Run: s.run, Settings: settings(), Check: accept, Report: func(err error) { t.Log(err) }})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	_, err = NewCoordinator(t.Context(), s.connect(), CoordinatorConfig{Run: s.run, Settings: settings(), Report: func(error) {}})
	wantError(t, err, "another process trains it")
	f := &field{t: t}
	for _, name := range []string{s.me, s.other} {
		w, end, _ := f.workRun(s.dial(t, name), s.run, name, &toy{parallel: 4, pace: time.Millisecond})
		defer end()
		if w.Settings().Game != "mnk:3,3,3" {
			t.Errorf("settings %+v", w.Settings())
		}
	}
	eventually(t, "two workers", func() bool { return p.Progress().Workers == 2 })
	list, kept := numbers(0, 300), newSink()
	if _, err := p.Play(t.Context(), 3, weights, selfplay.Numbers(list), kept); err != nil {
		t.Fatal(err)
	}
	kept.check(t, 3, list)
	if kept.of(s.me) == 0 || kept.of(s.other) == 0 {
		t.Error("games by worker: ", kept.workers)
	}
}

package cluster

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/nats-io/nats.go"

	"tengen/internal/printable"
	"tengen/mcts"
	"tengen/net"
	"tengen/replay"
	"tengen/selfplay"
)

// Settings are the parameters of a run's games.
type Settings struct {
	Protocol  int    `json:"protocol"`  // Protocol
	Semantics int    `json:"semantics"` // selfplay.Semantics
	Version   string `json:"version"`   // of the program, for display

	Game       string          `json:"game"` // full name
	Seed       uint64          `json:"seed"`
	Shape      net.Shape       `json:"shape"`
	Search     mcts.Config     `json:"search"`
	Selfplay   selfplay.Config `json:"selfplay"`
	Arithmetic string          `json:"arithmetic"` // the trainer's net.Arithmetic
}

// Protocol must increase when a worker and a trainer could misunderstand each other.
const Protocol = 6

func (s Settings) check() error {
	if s.Protocol != Protocol || s.Semantics != selfplay.Semantics {
		return fmt.Errorf("the run speaks protocol %d and has semantics %d, but this program has protocol %d and semantics %d: "+
			"use the program that trains, tengen %q, in both places", s.Protocol, s.Semantics, Protocol, selfplay.Semantics, s.Version)
	}
	return nil
}

// readSettings decodes and checks settings. It checks Protocol and Semantics first: other fields may have changed.
func readSettings(content []byte) (s Settings, err error) {
	failed := json.Unmarshal(content, &s)
	for _, text := range []*string{&s.Version, &s.Arithmetic, &s.Game} { // people see them
		*text = printable.Text(*text, 1000)
	}
	return s, cmp.Or(s.check(), failed)
}

func encode(v any) []byte { return must(json.Marshal(v)) }

func digest(content []byte) string {
	return fmt.Sprintf("%x", sha256.Sum256(content))
}

// order directs a run's workers. The trainer stores it in the run's bucket, and answers workers that know an older one.
type order struct {
	Settings string    `json:"settings"` // digest
	Model    modelInfo `json:"model"`    // to play; zero: wait
	Ended    bool      `json:"ended"`    // the run has all its iterations
	Nonce    string    `json:"told"`     // differs in each order
}

// same reports whether two orders differ at most in Nonce.
func (o order) same(other order) bool {
	o.Nonce = other.Nonce
	return o == other
}

type modelInfo struct {
	Iteration uint64 `json:"iteration"`
	Size      int    `json:"size"`   // bytes of the file
	SHA256    string `json:"sha256"` // of the file
}

// task is a range of games for a worker.
type task struct {
	Model uint64 `json:"model"`
	First uint64 `json:"first"`
	End   uint64 `json:"end"` // exclusive
}

// maxTaskGames limits a task's size, and so the games lost when a worker is killed.
const maxTaskGames = 32

// readTask decodes and checks a task.
func readTask(content []byte) (t task, err error) {
	if json.Unmarshal(content, &t) != nil || t.End < t.First || t.End-t.First > maxTaskGames {
		return t, fmt.Errorf("%.100q is not a task", content)
	}
	return t, nil
}

// tasksOf groups numbers into tasks. Their size grows with games, the number of games in the job.
func tasksOf(model uint64, numbers []uint64, games int) (tasks []task) {
	size := uint64(min(max(games/64, 1), maxTaskGames))
	for _, n := range numbers {
		if last := len(tasks) - 1; last >= 0 && tasks[last].End == n && n-tasks[last].First < size {
			tasks[last].End++
		} else {
			tasks = append(tasks, task{Model: model, First: n, End: n + 1})
		}
	}
	return tasks
}

// message carries games to the trainer. The reply is empty, or says why the worker should stop.
type message struct {
	Settings string   `json:"settings"` // digest; must come first, see settingsOf
	Games    [][]byte `json:"games"`
}

var messageHead = regexp.MustCompile(`^\{"settings":"([0-9a-f]{64})"`)

// settingsOf returns the digest in an encoded message without decoding the games. ok is false if there is none.
func settingsOf(content []byte) (digest string, ok bool) {
	head := messageHead.FindSubmatch(content)
	if head == nil {
		return "", false
	}
	return string(head[1]), true
}

// EmbeddedRun is the run's name on a Server.
const EmbeddedRun = "run"

var runName, workerName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,100}$`), regexp.MustCompile(`^[A-Za-z0-9_-]{1,48}$`)

// CheckWorker returns an error if a worker cannot have this name.
func CheckWorker(name string) error {
	switch {
	case !workerName.MatchString(name):
		return fmt.Errorf("worker name %q: use 1 to 48 letters, digits, - and _", name)
	case name == replay.LocalWorker:
		return fmt.Errorf("the name %q is reserved for the trainer: choose another", name)
	}
	return nil
}

// Names of a run's streams and buckets, all in memory.
func tasksStream(run string) string  { return "tasks-" + run }
func modelsStream(run string) string { return "models-" + run }
func runBucket(run string) string    { return "run-" + run }

// Subjects of a run. worker may be "*"; key is "settings" or "order".
func tasksSubject(run, worker string) string  { return "tasks." + run + "." + worker }
func gamesSubject(run, worker string) string  { return "games." + run + "." + worker }
func statusSubject(run, worker string) string { return "status." + run + "." + worker }
func entrySubject(run, key string) string     { return "$KV." + runBucket(run) + "." + key }
func trainerSubject(run string) string        { return "trainer." + run }
func pullSubject(run, worker string) string {
	return "$JS.API.CONSUMER.MSG.NEXT." + tasksStream(run) + "." + worker
}
func modelSubject(run string, iteration uint64, chunk int) string {
	return fmt.Sprintf("models.%s.%d.%d", run, iteration, chunk)
}

func chunkRequest(run string, iteration uint64, chunk int) string {
	return "$JS.API.DIRECT.GET." + modelsStream(run) + "." + modelSubject(run, iteration, chunk)
}
func entryRequest(run, key string) string {
	return "$JS.API.DIRECT.GET.KV_" + runBucket(run) + "." + entrySubject(run, key)
}

// requests returns the subjects to which a worker may publish. None can change a stream. The consumer of a worker's
// tasks has the worker's name.
func requests(run, worker string) []string {
	return []string{
		gamesSubject(run, worker),
		statusSubject(run, worker),
		pullSubject(run, worker),
		"$JS.ACK." + tasksStream(run) + "." + worker + ".>",
		"$JS.API.DIRECT.GET." + modelsStream(run) + ".>",
		"$JS.API.DIRECT.GET.KV_" + runBucket(run) + ".>",
	}
}

// inboxOf returns the prefix of a client's reply subjects. Other clients cannot subscribe to them.
func inboxOf(name string) string { return "_INBOX." + name }

// sender returns the name of the worker that has sent a message.
func sender(m *nats.Msg) string {
	return printable.Text(m.Subject[strings.LastIndexByte(m.Subject, '.')+1:], maxShown)
}

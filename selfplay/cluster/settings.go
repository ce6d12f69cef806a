package cluster

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"tengen/internal/limits"
	"tengen/mcts"
	"tengen/net"
	"tengen/selfplay"
)

// Settings are what a worker has to know to play games of a run. They stand in the run's bucket.
type Settings struct {
	Protocol  int    `json:"protocol"`  // Protocol
	Semantics int    `json:"semantics"` // selfplay.Semantics
	Version   string `json:"version"`   // of the program, for people
	Run       string `json:"run"`       // names the run among all runs of the world

	Game       string          `json:"game"` // full name
	Seed       uint64          `json:"seed"`
	Shape      net.Shape       `json:"shape"` // of the network's input and output
	Search     mcts.Config     `json:"search"`
	Selfplay   selfplay.Config `json:"selfplay"`
	Arithmetic string          `json:"arithmetic"` // of the trainer, see net.Arithmetic
	Mixed      bool            `json:"mixed"`      // takes games of another arithmetic
}

// Protocol rises when a worker and a trainer could misunderstand each other.
const Protocol = 2

// check refuses settings that a worker of this program cannot play by.
func (s Settings) check() error {
	if s.Protocol != Protocol || s.Semantics != selfplay.Semantics {
		return fmt.Errorf("the run speaks protocol %d and plays games of kind %d, this program protocol %d and kind %d: "+
			"use the program that trains, tengen %q, in both places", s.Protocol, s.Semantics, Protocol, selfplay.Semantics, s.Version)
	}
	return nil
}

// readSettings reads what encode wrote. The numbers that say whether this program can play by them come first, so they are read
// even if the rest is of another form.
func readSettings(content []byte) (s Settings, err error) {
	failed := json.Unmarshal(content, &s)
	if err := s.check(); err != nil {
		return s, err
	}
	return s, failed
}

// encode writes a value of numbers and texts as JSON.
func encode(v any) []byte { return must(json.Marshal(v)) }

// CheckBounds refuses settings that would take more memory or time than a worker should give to others, whatever the run itself
// may want.
func (s Settings) CheckBounds() error {
	simulations := max(s.Search.Simulations, 1) // no search has more
	if err := cmp.Or(
		limits.Int("selfplay.cache_megabytes", s.Selfplay.CacheMegabytes, 0, 16<<10),
		limits.Int("search.simulations", simulations, 1, 1_000_000),
		limits.Int("search.forced_nodes", s.Search.ForcedNodes, 0, 1_000_000),
		limits.Int("selfplay.games_per_worker", s.Selfplay.GamesPerWorker, 1, max(1, 10_000_000/simulations)),
	); err != nil {
		return fmt.Errorf("the run asks for more than a worker gives: %w", err)
	}
	return nil
}

// digest tells contents apart.
func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// order is what the workers of a run are to do now. The trainer keeps it in the run's bucket, and sends it when it changes.
type order struct {
	Settings string    `json:"settings"` // digest of the settings now
	Playing  bool      `json:"playing"`  // there are tasks, for Model
	Model    modelInfo `json:"model"`
	Told     string    `json:"told"` // another one each time: what a worker has asked before may have been lost
}

// same reports whether there is the same to do.
func (o order) same(other order) bool {
	o.Told = other.Told
	return o == other
}

// modelInfo says what a model is.
type modelInfo struct {
	Iteration uint64 `json:"iteration"`
	Size      int    `json:"size"`   // bytes of its file
	SHA256    string `json:"sha256"` // of its file
}

// task is a range of games for a worker.
type task struct {
	Model uint64 `json:"model"` // the iteration that made it
	First uint64 `json:"first"`
	End   uint64 `json:"end"` // the number after the last
}

// mostTaskGames is the number of games of the largest task: a worker that is killed loses no more than its tasks.
const mostTaskGames = 32

// tasksOf groups numbers, which are sorted and some of so many, into tasks that are small enough for many workers to have some.
func tasksOf(model uint64, numbers []uint64, all int) (tasks []task) {
	size := uint64(min(max(all/64, 1), mostTaskGames))
	for _, n := range numbers {
		if last := len(tasks) - 1; last >= 0 && tasks[last].End == n && n-tasks[last].First < size {
			tasks[last].End++
		} else {
			tasks = append(tasks, task{Model: model, First: n, End: n + 1})
		}
	}
	return tasks
}

// message carries games to the trainer.
type message struct {
	Settings string   `json:"settings"` // digest of those that the games were played by
	Games    [][]byte `json:"games"`    // records, each with its own checksum
}

// answer is what the trainer says of a message. All of its games are dealt with then, unless it is refused.
type answer struct {
	Kept     int    `json:"kept"`
	Unwanted int    `json:"unwanted,omitempty"` // of another model, or somebody else was faster
	Refused  string `json:"refused,omitempty"`  // why the worker had better end
}

const (
	// EmbeddedRun is the name of the only run on a run's own server.
	EmbeddedRun = "run"
	// Local is the name under which the trainer's own process keeps the games that it plays.
	Local = "local"
)

var runName, workerName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,100}$`), regexp.MustCompile(`^[A-Za-z0-9_-]{1,48}$`)

// CheckRun refuses a name that a run cannot have on a server.
func CheckRun(run string) error {
	if !runName.MatchString(run) {
		return fmt.Errorf("run name %q: only letters, digits, - and _ are allowed, at most 100", run)
	}
	return nil
}

// CheckWorker refuses a name that a worker cannot have.
func CheckWorker(name string) error {
	switch {
	case !workerName.MatchString(name):
		return fmt.Errorf("a worker cannot have the name %q: allowed are letters, digits, - and _, at least 1 and at most 48", name)
	case name == Local:
		return fmt.Errorf("the name %q belongs to the process that trains: choose another", name)
	}
	return nil
}

// consumerName is the consumer of the stream of tasks.
const consumerName = "play"

// Streams and buckets of a run, all of them in memory.
func tasksStream(run string) string   { return "tasks-" + run }
func modelsStream(run string) string  { return "models-" + run }
func runBucket(run string) string     { return "run-" + run }
func workersBucket(run string) string { return "workers-" + run }

// Subjects of a run. A worker may be "*".
func tasksSubject(run string) string          { return "tasks." + run }
func gamesSubject(run, worker string) string  { return "games." + run + "." + worker }
func statusSubject(run, worker string) string { return "$KV." + workersBucket(run) + "." + worker }
func entrySubject(run, key string) string     { return "$KV." + runBucket(run) + "." + key } // key: "settings" or "order"
func newsSubject(run string) string           { return "order." + run }
func trainerSubject(run string) string        { return "trainer." + run }
func pullSubject(run string) string {
	return "$JS.API.CONSUMER.MSG.NEXT." + tasksStream(run) + "." + consumerName
}
func modelSubject(run string, iteration uint64, chunk int) string {
	return fmt.Sprintf("models.%s.%d.%d", run, iteration, chunk)
}

// Requests for a chunk of a model, and for an entry of the run's bucket.
func chunkRequest(run string, iteration uint64, chunk int) string {
	return "$JS.API.DIRECT.GET." + modelsStream(run) + "." + modelSubject(run, iteration, chunk)
}
func entryRequest(run, key string) string {
	return "$JS.API.DIRECT.GET.KV_" + runBucket(run) + "." + entrySubject(run, key)
}

// requests are the subjects at which a worker may ask or tell something; "*" stands for all workers. Nothing here makes, changes
// or removes a stream, a consumer, an entry of the run or a model.
func requests(run, worker string) []string {
	return []string{
		gamesSubject(run, worker),
		statusSubject(run, worker),
		pullSubject(run),
		"$JS.ACK." + tasksStream(run) + "." + consumerName + ".>",
		"$JS.API.DIRECT.GET." + modelsStream(run) + ".>",
		"$JS.API.DIRECT.GET.KV_" + runBucket(run) + ".>",
	}
}

// inboxOf is what the subjects begin with at which a client receives answers. Others cannot listen there.
func inboxOf(name string) string { return "_INBOX." + name }

// lastPart is the part of a subject after its last dot.
func lastPart(subject string) string { return subject[strings.LastIndexByte(subject, '.')+1:] }

package natslog

import (
	"fmt"

	"github.com/nats-io/nats-server/v2/server"
)

// workersAccount is the account of workers on a run's own server; the run is in the global account. Permissions for subjects
// would not keep them apart: a server answers a request, or acknowledges a game, under whatever subject the sender asks for, and
// with rights of its own. So a worker in the account of the run could have answers written over the run's entries. From
// another account, an answer finds the way back to that account only.
const workersAccount = "workers"

// access is what workers may do on the server of a run. It is least of what an Appender, a Bucket and Models need that only
// read: nothing here makes, changes or removes a stream, an entry or a model. Consumers are not among it, because a consumer
// delivers to any subject that its maker names.
type access struct {
	requests []string // subjects that the server answers
	hears    []string // subjects of what the run tells everybody
}

// accessOf is that of the worker with a part of the subjects, anyWorker for that of all workers together.
func accessOf(run, part string) access {
	bucket := bucketName(run)
	return access{
		requests: []string{
			ownSubject(run) + "." + part,
			leaseSubject(run, part), // which the process that trains answers
			"$JS.API.STREAM.INFO." + streamName(run),
			"$JS.API.STREAM.INFO.KV_" + bucket,
			"$JS.API.STREAM.MSG.GET.KV_" + bucket,
			"$JS.API.DIRECT.GET.KV_" + bucket + ".>",
			"$JS.API.DIRECT.GET.models-" + run + ".>",
		},
		hears: []string{changeSubject(run, "*")},
	}
}

// permissions are those of a worker's connection, whose answers come to subjects below inbox.
func (a access) permissions(inbox string) *server.Permissions {
	return &server.Permissions{
		Publish:   &server.SubjectPermission{Allow: a.requests},
		Subscribe: &server.SubjectPermission{Allow: append([]string{inbox + ".>"}, a.hears...)},
	}
}

// open lets an account of workers reach what they may use of the account that has the run.
func (a access) open(run, workers *server.Account) error {
	for _, subject := range a.requests {
		if err := run.AddServiceExport(subject, []*server.Account{workers}); err != nil {
			return fmt.Errorf("%s: %w", subject, err)
		}
		if err := workers.AddServiceImport(run, subject, subject); err != nil {
			return fmt.Errorf("%s: %w", subject, err)
		}
	}
	for _, subject := range a.hears {
		if err := run.AddStreamExport(subject, []*server.Account{workers}); err != nil {
			return fmt.Errorf("%s: %w", subject, err)
		}
		if err := workers.AddStreamImport(run, subject, ""); err != nil {
			return fmt.Errorf("%s: %w", subject, err)
		}
	}
	return nil
}

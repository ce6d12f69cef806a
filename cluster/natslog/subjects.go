package natslog

import (
	"fmt"
	"regexp"
	"strings"
)

// Names on the server. A run has the streams "games-RUN", "KV_tengen-RUN" and "models-RUN", and the subjects
//
//	games.RUN                games of the run itself; in earlier versions all games
//	games.RUN.HOST.SPOOL     games of the worker HOST-SPOOL
//	lease.RUN.HOST.SPOOL     where it asks for games to play
//	models.RUN.MODEL.CHUNK   models
//	changed.RUN.KEY          rings when the run's entry has changed
//	$KV.tengen-RUN.KEY       the run's entries
//
// A worker's name is in two parts, so that the files of a server can say with a wildcard what those may do whose names begin in
// the same way: all spools of a person, or of a credential.

func streamName(run string) string { return "games-" + run }

// ownSubject is the subject of the games that a Log appends.
func ownSubject(run string) string { return "games." + run }

// GameSubject is the subject of a worker's games, so that a server can allow each worker its own.
func GameSubject(run, worker string) (string, error) {
	if err := CheckRun(run); err != nil {
		return "", err
	}
	if err := CheckWorker(worker); err != nil {
		return "", err
	}
	return ownSubject(run) + "." + workerPart(worker), nil
}

// LeaseSubject is the subject on which a worker asks the process that trains for games to play. It is the worker's own, as
// GameSubject is, and for requests only: nothing on it is kept.
func LeaseSubject(run, worker string) string { return leaseSubject(run, workerPart(worker)) }

// LeaseSubjects are those of all workers.
func LeaseSubjects(run string) string { return leaseSubject(run, anyWorker) }

func leaseSubject(run, part string) string { return "lease." + run + "." + part }

// LeaseWorker is the worker that asks on a subject of LeaseSubject.
func LeaseWorker(subject string) string {
	parts := strings.SplitN(subject, ".", 3)
	return workerOf(parts[len(parts)-1])
}

// anyWorker stands for the part of every worker in a subject.
const anyWorker = ">"

// workerPart is a worker's part of its subjects: a name's last dash is a dot there, and its dots, which would end a part, are tildes.
func workerPart(worker string) string {
	host, spool := worker, ""
	if i := strings.LastIndexByte(worker, '-'); i > 0 && i < len(worker)-1 {
		host, spool = worker[:i], "."+subjectToken(worker[i+1:])
	}
	return subjectToken(host) + spool
}

// workerOf is the worker with a part.
func workerOf(part string) string {
	return strings.NewReplacer(".", "-", "~", ".").Replace(part)
}

func subjectToken(name string) string { return strings.ReplaceAll(name, ".", "~") }

var workerName = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// CheckWorker refuses a name that a worker cannot have on a server.
func CheckWorker(worker string) error {
	if !workerName.MatchString(worker) {
		return fmt.Errorf("worker name %q: only letters, digits, ., - and _ are allowed, at least 1 and at most 64", worker)
	}
	return nil
}

// changeSubject is where it is told that an entry has changed. Plain messages do for that, which may be lost and leave nothing
// behind: a consumer of the bucket's stream would want rights that workers do not have.
func changeSubject(run, key string) string { return "changed." + run + "." + key }

package natslog

// LeaseSubject is the subject on which a worker asks the process that trains for games to play. It is the worker's own, as
// GameSubject is, and for requests only: nothing on it is kept. The worker "*" stands for all of them.
func LeaseSubject(run, worker string) string { return "lease." + run + "." + subjectToken(worker) }

// LeaseWorker is the worker that asks on a subject of LeaseSubject.
func LeaseWorker(subject string) string { return subjectWorker(subject) }

// Package clustertest has what tests need that start NATS servers.
package clustertest

import "go.uber.org/goleak"

// Leaks are goroutines that libraries leave behind.
var Leaks = []goleak.Option{
	// A race in nats.go: it can begin after what it waits for has been taken away.
	goleak.IgnoreTopFunction("github.com/nats-io/nats.go/jetstream.(*jetStream).resetPendingAcksOnReconnect"),
	// The NATS server's clock is the process's.
	goleak.IgnoreTopFunction("github.com/nats-io/nats-server/v2/server/ats.Register.func1"),
	// database/sql's opener of connections ends soon after Close.
	goleak.IgnoreTopFunction("database/sql.(*DB).connectionOpener"),
}

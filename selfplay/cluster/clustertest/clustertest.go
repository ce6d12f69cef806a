// Package clustertest supports tests that start NATS servers.
package clustertest

import "go.uber.org/goleak"

// Leaks ignores goroutines that libraries leave behind.
var Leaks = []goleak.Option{
	// A race in nats.go: it can start after its channel has been removed.
	goleak.IgnoreTopFunction("github.com/nats-io/nats.go/jetstream.(*jetStream).resetPendingAcksOnReconnect"),
	// The NATS server's clock lives as long as the process.
	goleak.IgnoreTopFunction("github.com/nats-io/nats-server/v2/server/ats.Register.func1"),
	// database/sql's connection opener ends soon after Close.
	goleak.IgnoreTopFunction("database/sql.(*DB).connectionOpener"),
}

package cluster

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// logger passes the NATS server's warnings and errors on, and keeps the first fatal one.
type logger struct {
	report func(string)

	mu    sync.Mutex
	fatal error
}

func (l *logger) Noticef(string, ...any) {}
func (l *logger) Debugf(string, ...any)  {}
func (l *logger) Tracef(string, ...any)  {}

// afterKill are the warnings of a server that was killed before and finds its index older than its files, which is nothing
// to worry about: it makes the index again.
var afterKill = []string{"Stream state outdated", "prior state file"}

func (l *logger) Warnf(format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	if !slices.ContainsFunc(afterKill, func(part string) bool { return strings.Contains(message, part) }) {
		l.report(message)
	}
}

func (l *logger) Errorf(format string, args ...any) { l.report(fmt.Sprintf(format, args...)) }

// Fatalf is called when the server cannot start. Unlike the server's own loggers it does not end the process.
func (l *logger) Fatalf(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fatal == nil {
		l.fatal = fmt.Errorf(format, args...)
	}
}

func (l *logger) failure() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fatal
}

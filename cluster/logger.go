package cluster

import (
	"fmt"
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

func (l *logger) Warnf(format string, args ...any)  { l.report(fmt.Sprintf(format, args...)) }
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

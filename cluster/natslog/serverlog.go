package natslog

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/nats-io/nats-server/v2/server"
)

// logger passes the NATS server's warnings and errors on, and keeps the first fatal one.
type logger struct {
	report    func(string)
	strangers *notices // for what clients can cause as often as they like

	mu    sync.Mutex
	fatal error
}

// Noticef drops notices: they are of no use to the person who runs the server.
func (l *logger) Noticef(string, ...any) {}

// Debugf drops what is for the server's authors.
func (l *logger) Debugf(string, ...any) {}

// Tracef drops what is for the server's authors.
func (l *logger) Tracef(string, ...any) {}

// harmless are the messages of a server that was killed before, which are nothing to worry about: it finds its index older than its
// files, and makes it again; or the end of a batch was taken out as damaged, which the log reports as lost. And those of a server that
// has to wait for its disk or its processor: what it was asked for is done, only later.
var harmless = []string{
	"Stream state outdated", "prior state file", "Failed restoring partial batch write",
	"Internal subscription on ", "Readloop processing time: ", "Producer was stalled for a total of ",
}

// Warnf reports a warning, unless it is harmless.
func (l *logger) Warnf(format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	switch {
	case slices.ContainsFunc(harmless, func(part string) bool { return strings.Contains(message, part) }):
	case ofEmptyStream(message):
	case strings.Contains(message, server.ErrAuthentication.Error()): // told, with the reason, by those who refuse
	case ofClient.MatchString(message):
		l.strangers.tell(message)
	default:
		l.report(message)
	}
}

// withoutMetafile is found in the message about a stream's folder in which the file that describes the stream is missing.
var withoutMetafile = regexp.MustCompile(`Missing stream metafile for (".*")`)

// ofEmptyStream reports whether a message is about a stream that the server was killed in making, before it had any messages. It is
// made again.
func ofEmptyStream(message string) bool {
	parts := withoutMetafile.FindStringSubmatch(message)
	if parts == nil {
		return false
	}
	metafile, err := strconv.Unquote(parts[1])
	if err != nil {
		return false
	}
	files, err := blocks(filepath.Join(filepath.Dir(metafile), "msgs"))
	return err == nil && !slices.ContainsFunc(files, func(b block) bool {
		info, err := os.Stat(b.path)
		return err != nil || info.Size() > 0
	})
}

// Errorf reports an error, unless it is harmless.
func (l *logger) Errorf(format string, args ...any) { l.Warnf(format, args...) }

// ofClient is found in messages about a client's connection.
var ofClient = regexp.MustCompile(` - cid:\d+ - |TLS handshake error`)

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

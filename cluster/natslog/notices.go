package natslog

import (
	"fmt"
	"sync"
	"time"
)

// noticeInterval is the time between two reports of what strangers can cause as often as they like.
const noticeInterval = time.Minute

// notices passes on the first of many messages at once, and then the newest one from time to time, with a count.
type notices struct {
	report func(message string)
	now    func() time.Time

	mu   sync.Mutex
	next time.Time // not before
	kept string    // the newest message that was not passed on
	more int       // messages that were not passed on
}

// tell takes a message.
func (n *notices) tell(message string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.kept = message
	n.more++
	n.pass()
}

// flush passes on what was kept, if it is time.
func (n *notices) flush() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.pass()
}

func (n *notices) pass() {
	now := n.now()
	if n.more == 0 || now.Before(n.next) {
		return
	}
	message := n.kept
	if n.more > 1 {
		message += fmt.Sprintf(" (and %d times something of the kind in the last %v)", n.more-1, noticeInterval)
	}
	n.kept, n.more, n.next = "", 0, now.Add(noticeInterval)
	n.report(message)
}

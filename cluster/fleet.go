package cluster

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// fleet is what is known of the workers together.
type fleet struct {
	workers int    // that asked lately
	unsent  int    // games that are finished and not in the log, of those who are not doubted
	trouble string // why one of these cannot send
	noRoom  error  // why none may play
}

// fleet looks at the workers when the run has waited for games for so long since the last look.
func (d *dealer) fleet(now time.Time, waited time.Duration) fleet {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.quota.forget(now)
	f := fleet{workers: len(d.quota.holders), noRoom: d.noRoom}
	for h := range d.quota.trusted() {
		if h.held > 0 {
			h.seen.vain += waited
		}
		f.unsent += h.Unsent
		if h.Trouble != "" {
			f.trouble = h.worker + ": " + h.Trouble
		}
	}
	return f
}

// doubt takes note that some workers cannot be believed: what they hold does not count from here on, so that others play in their
// place, until one of their games comes. Such a worker may hang, be cut off from the log alone, or lie. It says who they are.
func (d *dealer) doubt(whom func(*holder) bool) (said []error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for h := range d.quota.trusted() {
		if !whom(h) {
			continue
		}
		h.seen.doubted = true
		trouble := ""
		if h.Trouble != "" {
			trouble = fmt.Sprintf(" (%.300q)", h.Trouble)
		}
		said = append(said, fmt.Errorf("worker %s says that it holds %d games, %d of them finished%s, but none has come: "+
			"others play in its place until one does; look after it, or revoke it", h.worker, h.held, h.Unsent, trouble))
	}
	slices.SortFunc(said, func(a, b error) int { return cmp.Compare(a.Error(), b.Error()) })
	return said
}

// came notes that a game of a worker was taken.
func (d *dealer) came(worker string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.quota.took(worker)
}

package positions

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// Of one visitor's searches, the one that has waited longest comes next. One that gives up is passed over.
func TestQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(1)
		leave, err := q.enter(t.Context(), "", func(int) { t.Error("the first waits") })
		if err != nil {
			t.Fatal(err)
		}
		ctx, giveUp := context.WithCancel(t.Context())
		var mu sync.Mutex
		var order []string
		places := map[string][]int{}
		begin := func(ctx context.Context, name string) {
			go func() {
				leave, err := q.enter(ctx, "", func(place int) {
					mu.Lock()
					defer mu.Unlock()
					places[name] = append(places[name], place)
				})
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					order = append(order, name+" gave up")
					return
				}
				order = append(order, name)
				leave()
			}()
			synctest.Wait()
		}
		begin(ctx, "impatient")
		begin(t.Context(), "second")
		begin(t.Context(), "third")
		giveUp()
		synctest.Wait()
		leave()
		synctest.Wait()
		if got := strings.Join(order, ", "); got != "impatient gave up, second, third" {
			t.Errorf("order: %s", got)
		}
		if p := places["third"]; p[0] != 3 || !slices.Contains(p, 2) {
			t.Errorf("the third had the places %v", p)
		}
		if len(q.running)+len(q.waiting)+q.count != 0 {
			t.Errorf("%d run, %d wait, %d visitors are known", q.count, len(q.waiting), len(q.running))
		}
	})
}

// visits runs searches in a queue, each of which takes its length, and returns when they began.
type visits struct {
	t     *testing.T
	queue *queue
	group sync.WaitGroup
	mu    sync.Mutex
	began map[string]time.Duration // by the search's name
	start time.Time
}

func newVisits(t *testing.T, places int) *visits {
	return &visits{t: t, queue: newQueue(places), began: map[string]time.Duration{}, start: time.Now()}
}

// add adds a visitor's search now.
func (v *visits) add(visitor, name string, length time.Duration) {
	v.group.Go(func() {
		leave, err := v.queue.enter(v.t.Context(), visitor, func(int) {})
		if err != nil {
			v.t.Error(err)
			return
		}
		v.mu.Lock()
		v.began[name] = time.Since(v.start)
		v.mu.Unlock()
		time.Sleep(length)
		leave()
	})
	synctest.Wait()
}

func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // one visitor's many searches cost that visitor
		v := newVisits(t, 3)
		for i := range 16 {
			v.add("many", fmt.Sprint("many", i), time.Minute)
		}
		time.Sleep(time.Second)
		v.add("other", "first", time.Second)
		v.add("other", "second", time.Second)
		v.group.Wait()
		if v.began["many1"] != 0 || v.began["many2"] != time.Minute || v.began["first"] != time.Second || v.began["second"] != 2*time.Second {
			t.Errorf("the searches begin at %v", v.began)
		}
	})
	synctest.Test(t, func(t *testing.T) { // where all places are taken, visitors take turns
		v := newVisits(t, 1)
		for i := range 16 {
			v.add("many", fmt.Sprint("many", i), time.Second)
		}
		v.add("other", "first", time.Second)
		v.add("other", "second", time.Second)
		v.group.Wait()
		if v.began["first"] != 2*time.Second || v.began["second"] != 4*time.Second {
			t.Errorf("the searches begin at %v", v.began)
		}
	})
	synctest.Test(t, func(t *testing.T) { // a search begins although newcomers always wait
		v := newVisits(t, 1)
		v.add("first", "first", time.Second)
		v.add("long", "long", 20*time.Second)
		for i := range 200 {
			v.add(fmt.Sprint("newcomer", i), fmt.Sprint("newcomer", i), time.Second)
			time.Sleep(time.Second)
		}
		v.group.Wait()
		if began := v.began["long"]; began != time.Second {
			t.Errorf("the long search waits until %v", began)
		}
	})
}

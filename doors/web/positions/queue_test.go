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

// Of equal searches of one visitor, the one that has waited longest comes next. One that gives up is passed over.
func TestQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(1)
		leave, err := q.enter(t.Context(), "", time.Second, func(int) { t.Error("the first waits") })
		if err != nil {
			t.Fatal(err)
		}
		ctx, giveUp := context.WithCancel(t.Context())
		var mu sync.Mutex
		var order []string
		places := map[string][]int{}
		begin := func(ctx context.Context, name string) {
			go func() {
				leave, err := q.enter(ctx, "", time.Second, func(place int) {
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
		if len(q.running)+len(q.waiting)+len(q.spent) != 0 {
			t.Errorf("%d run, %d wait, %d visitors are known", len(q.running), len(q.waiting), len(q.spent))
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
		leave, err := v.queue.enter(v.t.Context(), visitor, length, func(int) {})
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
	synctest.Test(t, func(t *testing.T) { // ten visitors with long and short searches, and one more with a short one
		v := newVisits(t, 2)
		for i := range 5 {
			for visitor := range 10 {
				length := time.Minute
				if i%2 == 1 {
					length = 2 * time.Second
				}
				v.add(fmt.Sprint(visitor), fmt.Sprint(visitor, i), length)
			}
		}
		time.Sleep(time.Second)
		v.add("late", "late", time.Second)
		v.group.Wait()
		if wait := v.began["late"] - time.Second; wait > 2*time.Second {
			t.Errorf("a short search waits for %v", wait)
		}
		for visitor := range 10 {
			if began := v.began[fmt.Sprint(visitor, 3)]; began > 40*time.Second {
				t.Errorf("the short search of visitor %d waits until %v", visitor, began)
			}
		}
	})
	synctest.Test(t, func(t *testing.T) { // one visitor's many searches cost that visitor
		v := newVisits(t, 2)
		for i := range 16 {
			v.add("many", fmt.Sprint("many", i), 4*time.Second)
		}
		time.Sleep(time.Second)
		v.add("other", "first", 4*time.Second)
		v.add("other", "second", 4*time.Second)
		v.group.Wait()
		if v.began["first"] != 4*time.Second || v.began["second"] > 8*time.Second {
			t.Errorf("the other visitor's searches begin at %v and %v", v.began["first"], v.began["second"])
		}
	})
	synctest.Test(t, func(t *testing.T) { // a long search begins once each of three visitors has had as much time
		v := newVisits(t, 1)
		for i := range 200 {
			v.add(fmt.Sprint("short", i%3), fmt.Sprint("short", i), time.Second)
			if i == 10 {
				v.add("long", "long", 20*time.Second)
			}
			time.Sleep(time.Second / 2)
		}
		v.group.Wait()
		if began := v.began["long"]; began < 40*time.Second || began > 70*time.Second {
			t.Errorf("the long search waits until %v", began)
		}
	})
	synctest.Test(t, func(t *testing.T) { // a long search begins although a newcomer with a short one always waits
		v := newVisits(t, 1)
		v.add("first", "first", time.Second)
		v.add("long", "long", 20*time.Second)
		for i := range 200 {
			v.add(fmt.Sprint("newcomer", i), fmt.Sprint("newcomer", i), time.Second)
			time.Sleep(time.Second)
		}
		v.group.Wait()
		if began := v.began["long"]; began > 90*time.Second {
			t.Errorf("the long search waits until %v", began)
		}
	})
	synctest.Test(t, func(t *testing.T) { // a visitor has one long search at a time, and it leaves a place free
		v := newVisits(t, 3)
		v.add("a", "a1", time.Minute)
		v.add("a", "a2", time.Minute)
		v.add("b", "b", time.Minute)
		v.add("c", "c", time.Minute)
		v.add("a", "short", time.Second)
		v.group.Wait()
		if v.began["b"] != 0 || v.began["short"] != 0 || v.began["c"] != time.Minute || v.began["a2"] != time.Minute {
			t.Errorf("the searches begin at %v", v.began)
		}
	})
}

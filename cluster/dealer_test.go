package cluster

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/nats-io/nats.go"

	"tengen/cluster/natslog"
)

// A worker that has asked several times before anybody listened, as while the server was away, is answered where it still waits.
func TestDealerAnswersTheNewestDemand(t *testing.T) {
	conn := connect(t, startServer(t, natslog.ServerConfig{}))
	c := startCoordinator(t, conn, CoordinatorConfig{Check: anyGame})
	c.dealer.want(need{limit: 10, most: 10})
	answers := make(chan *nats.Msg, 10)
	subscription, err := conn.ChanSubscribe("answer.*", answers)
	if err != nil {
		t.Fatal(err)
	}
	defer subscription.Unsubscribe()
	text, err := json.Marshal(demand{Seats: 10})
	if err != nil {
		t.Fatal(err)
	}
	var messages []*nats.Msg
	for i := range 5 {
		m := nats.NewMsg(natslog.LeaseSubject("run", "w"))
		m.Reply, m.Data, m.Sub = fmt.Sprint("answer.", i), text, subscription
		messages = append(messages, m)
	}
	c.dealer.answer(t.Context(), messages)
	answer := <-answers
	var l lease
	if err := json.Unmarshal(answer.Data, &l); err != nil || answer.Subject != "answer.4" || l.Games != 10 {
		t.Errorf("the first answer goes to %s and gives %d games, %v; want all 10 for the newest", answer.Subject, l.Games, err)
	}
}

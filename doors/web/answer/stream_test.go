package answer

import (
	"strings"
	"testing"
)

// A client has its share of the streams, and no more.
func TestStreamsPerClient(t *testing.T) {
	c := NewCounter(3, 2)
	leave, err := c.Enter("a")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Enter("a"); err != nil {
		t.Error(err)
	}
	if _, err := c.Enter("a"); err == nil || !strings.Contains(err.Error(), "you have 2 streams") {
		t.Errorf("a third stream of one client: %v", err)
	}
	if _, err := c.Enter("b"); err != nil {
		t.Error(err)
	}
	if _, err := c.Enter("c"); err == nil || !strings.Contains(err.Error(), "there are 3 streams") {
		t.Errorf("a fourth stream: %v", err)
	}
	leave()
	if _, err := c.Enter("c"); err != nil {
		t.Error(err)
	}
}

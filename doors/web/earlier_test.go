package web

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A run that an earlier version has trained is listed with the reason why it is not shown, and its model is played against.
func TestEarlierRunIsServed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "earlier")
	if err := os.CopyFS(dir, os.DirFS("../../run/testdata/earlier")); err != nil {
		t.Fatal(err)
	}
	s := newServer(t, func(o *Options) { o.Folder, o.Runs = "", []string{dir} })
	var list struct {
		Runs []struct {
			Error *string
		}
	}
	if err := json.Unmarshal(ask(s, request("/api/runs")).Body.Bytes(), &list); err != nil || len(list.Runs) != 1 ||
		list.Runs[0].Error == nil || !strings.Contains(*list.Runs[0].Error, "is of another version of tengen (format 3, semantics 1;") {
		t.Errorf("the list has %+v (%v), want the run with an error", list.Runs, err)
	}
	target := "/api/analysis?game=tictactoe&player=earlier&simulations=2"
	if w := ask(s, request(target)); w.Code != http.StatusOK {
		t.Errorf("%s: status %d, %s", target, w.Code, w.Body)
	}
}

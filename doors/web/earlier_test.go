package web

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"
)

// A run that an earlier version has trained is listed, described and played against.
func TestEarlierRunIsServed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "earlier")
	if err := os.CopyFS(dir, os.DirFS("../../run/testdata/earlier")); err != nil {
		t.Fatal(err)
	}
	s := newServer(t, func(o *Options) { o.Folder, o.Runs = "", []string{dir} })
	var list struct {
		Runs []struct {
			Name      string
			Iteration int
			Games     int
			Error     *string
		}
	}
	if err := json.Unmarshal(ask(s, request("/api/runs")).Body.Bytes(), &list); err != nil || len(list.Runs) != 1 ||
		list.Runs[0].Error != nil || list.Runs[0].Iteration != 2 || list.Runs[0].Games != 8 {
		t.Errorf("the list has %+v (%v), want the run without an error", list.Runs, err)
	}
	for _, target := range []string{
		"/api/runs/earlier", "/api/analysis?game=tictactoe&player=earlier&simulations=2",
	} {
		if w := ask(s, request(target)); w.Code != http.StatusOK {
			t.Errorf("%s: status %d, %s", target, w.Code, w.Body)
		}
	}
}

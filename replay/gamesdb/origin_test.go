package gamesdb

import (
	"maps"
	"strings"
	"testing"
)

func wantOrigin(t *testing.T, d *DB, want map[string]string) {
	t.Helper()
	if got, err := d.Origin(t.Context()); err != nil || !maps.Equal(got, want) {
		t.Errorf("the origin is %v (%v), want %v", got, err, want)
	}
}

// A database names one run. What it does not name yet is added; what differs is an error that adds nothing. Copies and
// repaired databases name the same run.
func TestOrigin(t *testing.T) {
	dir := t.TempDir()
	d := openTest(t, dir)
	seed, model0, model1 := map[string]string{"seed": "1"}, "model-00000000.safetensors", "model-00000001.safetensors"
	add := func(origin map[string]string, want string) {
		t.Helper()
		err := d.AddOrigin(t.Context(), origin)
		if want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), d.path+" does not belong to this run: "+want)) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	add(seed, "")
	add(map[string]string{model0: "aa"}, "")
	add(map[string]string{"seed": "2", model1: "cc"}, "its seed is 1, but the run's is 2: ")
	add(map[string]string{model0: "bb", model1: "cc"}, "its "+model0+" is aa, but the run's is bb: ")
	wantOrigin(t, d, map[string]string{"seed": "1", model0: "aa"})
	add(map[string]string{model1: "cc"}, "")
	fill(t, d, "w", 0, 350) // models 0 to 3
	noError(t, d.Forget(t.Context(), 0))
	wantSpan(t, d, 0, 100)
	wantOrigin(t, d, map[string]string{"seed": "1", model0: "aa"})
	mustExec(t, shell(t, dir), "UPDATE origin SET value = char(27) || '[2J'")
	add(seed, `its seed is \x1b[2J, but`)

	want, err := d.Origin(t.Context())
	noError(t, err)
	noError(t, d.Close())
	if _, err := Repair(t.Context(), dir, func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	wantOrigin(t, openTest(t, dir), want)
}

package access

import (
	"path/filepath"
	"slices"
	"testing"
)

// Who is caught is refused from then on, whatever token it has, and nobody else is; also by a gate that begins with the file. Without its
// line it comes in again.
func TestGateRefusesWhoIsCaught(t *testing.T) {
	file, list, gate := run(t, "sesame")
	secret := add(t, list, "gpu-1")
	admitted := func(g *Gate) (names []string) {
		for _, name := range []string{"bad-ABCDEFGH", "good-ABCDEFGH"} {
			if g.Admit("", "sesame", name) == nil {
				names = append(names, name)
			}
		}
		if g.Admit("gpu-1", secret, "gpu-1-ABCDEFGH") == nil {
			names = append(names, "gpu-1-ABCDEFGH")
		}
		return names
	}
	all := []string{"bad-ABCDEFGH", "good-ABCDEFGH", "gpu-1-ABCDEFGH"}
	if got := admitted(gate); !slices.Equal(got, all) {
		t.Fatalf("before anybody is caught %q are admitted", got)
	}
	if err := gate.caught.Write([]Caught{{Worker: "bad-ABCDEFGH"}, {Worker: "gpu-1-ABCDEFGH"}}); err != nil {
		t.Fatal(err)
	}
	for _, g := range []*Gate{gate, NewGate(file, list, gate.caught, func(err error) { t.Error(err) })} {
		if got := admitted(g); !slices.Equal(got, []string{"good-ABCDEFGH"}) {
			t.Errorf("with two who are caught %q are admitted", got)
		}
		wantError(t, g.Admit("", "sesame", "bad-ABCDEFGH"), "worker bad-ABCDEFGH is cut off: its line in "+string(gate.caught)+" says why")
	}
	if err := gate.caught.Write(nil); err != nil {
		t.Fatal(err)
	}
	if got := admitted(gate); !slices.Equal(got, all) {
		t.Errorf("after the pardon %q are admitted", got)
	}
}

// A file that cannot be read says what to do.
func TestCaughtFileIsDamaged(t *testing.T) {
	file := CaughtFile(filepath.Join(t.TempDir(), "caught.jsonl"))
	for _, content := range []string{"{\"worker\":\"w\"}\nnonsense\n", "{\"worker\":\"w\"}\n{}\n"} {
		write(t, string(file), content)
		_, err := file.Read()
		wantError(t, err, "line 2 of "+string(file)+" names no worker")
		wantError(t, err, "mend it, or take it out")
	}
	for _, none := range []CaughtFile{"", CaughtFile(filepath.Join(t.TempDir(), "none"))} {
		if all, err := none.Read(); len(all) > 0 || err != nil {
			t.Error(all, err)
		}
	}
}

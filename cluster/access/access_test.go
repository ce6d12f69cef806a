package access

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"tengen/internal/atomicfile"
)

func wantError(t *testing.T, err error, part string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), part) {
		t.Errorf("error %v, want one that says %q", err, part)
	}
}

var now = time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)

// run is a directory with a token and a gate.
func run(t *testing.T, token string) (tokenFile string, list List, gate *Gate) {
	t.Helper()
	dir := t.TempDir()
	tokenFile, list = filepath.Join(dir, "token"), List(filepath.Join(dir, "workers.json"))
	write(t, tokenFile, token)
	return tokenFile, list, NewGate(tokenFile, list, CaughtFile(filepath.Join(dir, "caught.jsonl")), func(err error) { t.Error(err) })
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := atomicfile.WriteBytes(path, 0o600, []byte(text)); err != nil {
		t.Fatal(err)
	}
}

func add(t *testing.T, l List, name string) (secret string) {
	t.Helper()
	credential, err := l.Add(name, now)
	if err != nil {
		t.Fatal(err)
	}
	user, secret, _ := strings.Cut(credential, ":")
	if user != name || len(secret) < 26 {
		t.Fatalf("the credential of %s is %q", name, credential)
	}
	if content, err := os.ReadFile(string(l)); err != nil || strings.Contains(string(content), secret) {
		t.Errorf("the list holds the secret: %s, %v", content, err)
	}
	return secret
}

func TestGate(t *testing.T) {
	_, list, gate := run(t, "sesame\n")
	a, b := add(t, list, "gpu-1"), add(t, list, "gpu-2")
	if _, err := list.Revoke("gpu-2", now); err != nil {
		t.Fatal(err)
	}
	if _, err := list.Revoke("laptop-ABCDEFGH", now); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		user, secret, worker string
		want                 string // "" for admitted
	}{
		{"", "sesame", "desk-ABCDEFGH", ""},
		{"", "sesam", "desk-ABCDEFGH", "wrong"},
		{"", "", "desk-ABCDEFGH", "no token"},
		{"desk", "sesame", "desk-ABCDEFGH", `no worker "desk"`},
		{"", "sesame", "local-ABCDEFGH", "the process that trains"},
		{"", "sesame", "local", "the process that trains"},
		{"", "sesame", "gpu-1-ABCDEFGH", "a token of its own"},
		{"", "sesame", "gpu-2-ABCDEFGH", "a token of its own"},
		{"", "sesame", "laptop-ABCDEFGH", "revoked since 2026-05-04"},
		{"", a, "gpu-1-ABCDEFGH", "wrong"},
		{"gpu-1", a, "gpu-1-ABCDEFGH", ""},
		{"gpu-1", a, "gpu-1-ZZZZZZ22", ""},
		{"gpu-1", a, "gpu-1", "plays as"},
		{"gpu-1", a, "gpu-1-x-ABCDEFGH", "plays as"},
		{"gpu-1", a, "desk-ABCDEFGH", "plays as"},
		{"gpu-1", b, "gpu-1-ABCDEFGH", "wrong token"},
		{"gpu-1", "sesame", "gpu-1-ABCDEFGH", "wrong token"},
		{"gpu-1", "", "gpu-1-ABCDEFGH", "wrong token"},
		{"gpu-2", b, "gpu-2-ABCDEFGH", "revoked since 2026-05-04"},
		{"laptop-ABCDEFGH", "", "laptop-ABCDEFGH", "revoked"},
	} {
		if err := gate.Admit(c.user, c.secret, c.worker); c.want != "" {
			wantError(t, err, c.want)
		} else if err != nil {
			t.Errorf("%s as %s: %v", c.user, c.worker, err)
		}
	}
}

// What changes in the files holds at once: another token, workers that come and go.
func TestGateReadsAnew(t *testing.T) {
	file, list, gate := run(t, "old")
	admitted := func(user, secret, worker string) bool { return gate.Admit(user, secret, worker) == nil }
	if !admitted("", "old", "w-ABCDEFGH") {
		t.Fatal("the token does not open")
	}
	write(t, file, "new:one")
	if admitted("", "old", "w-ABCDEFGH") || !admitted("new", "one", "w-ABCDEFGH") {
		t.Error("the new token is not taken up")
	}
	secret := add(t, list, "a")
	if !admitted("a", secret, "a-ABCDEFGH") {
		t.Error("a new worker is not admitted")
	}
	if own, err := list.Revoke("a-ABCDEFGH", now); err != nil || !own || admitted("a", secret, "a-ABCDEFGH") {
		t.Errorf("a revoked worker is admitted: %v", err)
	}
	again := add(t, list, "a")
	if !admitted("a", again, "a-ABCDEFGH") || admitted("a", secret, "a-ABCDEFGH") {
		t.Error("a worker that was added anew does not have its new token alone")
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	write(t, string(list), "[]")
	if admitted("new", "one", "w-ABCDEFGH") || admitted("", "", "w-ABCDEFGH") || admitted("a", again, "a-ABCDEFGH") {
		t.Error("without a token somebody is admitted")
	}
}

// A list that cannot be read any more is told of once, and holds as it was; one that never could be read admits nobody.
func TestGateOfDamage(t *testing.T) {
	file, list, _ := run(t, "sesame")
	var told []error
	gate := NewGate(file, list, "", func(err error) { told = append(told, err) })
	secret := add(t, list, "a")
	if err := gate.Admit("a", secret, "a-ABCDEFGH"); err != nil {
		t.Fatal(err)
	}
	write(t, string(list), "[{")
	for range 3 {
		if err := gate.Admit("a", secret, "a-ABCDEFGH"); err != nil {
			t.Error(err)
		}
	}
	if len(told) != 1 {
		t.Errorf("told %v", told)
	}
	wantError(t, errors.Join(told...), "damaged")
	fresh := NewGate(file, list, "", func(err error) { t.Error(err) })
	wantError(t, fresh.Admit("", "sesame", "w-ABCDEFGH"), "damaged")
	_, err := list.Add("b", now)
	wantError(t, err, "damaged")
}

// Who is revoked is the one with the name, also where it looks like that of another one's spool.
func TestRevokeTakesTheExactName(t *testing.T) {
	_, list, gate := run(t, "sesame")
	gpu, spool := add(t, list, "gpu"), add(t, list, "gpu-SPOOLING")
	if own, err := list.Revoke("gpu-SPOOLING", now); err != nil || !own {
		t.Fatal(own, err)
	}
	if err := gate.Admit("gpu", gpu, "gpu-ABCDEFGH"); err != nil {
		t.Error(err)
	}
	wantError(t, gate.Admit("gpu-SPOOLING", spool, "gpu-SPOOLING-ABCDEFGH"), "is revoked since")
}

func TestAddRefuses(t *testing.T) {
	_, list, _ := run(t, "sesame")
	add(t, list, "a")
	for name, want := range map[string]string{
		"a": "already", "": "cannot have the name", "a b": "cannot have", "a.b": "cannot have", "a:b": "cannot have",
		"local": "in the process that trains", strings.Repeat("x", 49): "at most 48", "\x1b[2J": `"\x1b[2J"`,
	} {
		_, err := list.Add(name, now)
		wantError(t, err, want)
	}
	if workers, err := list.Workers(); err != nil || len(workers) != 1 || workers[0].Name != "a" || !workers[0].Added.Equal(now) {
		t.Errorf("the list is %+v, %v", workers, err)
	}
}

// Changes at the same time are all made.
func TestAddAtTheSameTime(t *testing.T) {
	_, list, _ := run(t, "sesame")
	var wait sync.WaitGroup
	for i := range 20 {
		wait.Go(func() {
			if _, err := list.Add(fmt.Sprint("w", i), now); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if workers, err := list.Workers(); err != nil || len(workers) != 20 {
		t.Errorf("%d workers, %v", len(workers), err)
	}
}

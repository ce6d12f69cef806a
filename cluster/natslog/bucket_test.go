package natslog

import (
	"errors"
	"testing"
)

// An entry that was written though no answer came is the process's own: the next Put goes on from it, and from no other's.
func TestPutAfterALostAnswer(t *testing.T) {
	t.Parallel()
	s := startServer(t, ServerConfig{})
	for name, test := range map[string]struct {
		found string // on the server, as JSON
		want  error
	}{
		"its own":        {"2", nil},
		"what it writes": {"3", nil},
		"another's":      {"4", ErrOvertaken},
	} {
		b := openBucketOf(t, connect(t, s))
		b.WriteAlone()
		if err := b.Put(t.Context(), "order", 1); err != nil {
			t.Fatal(err)
		}
		b.tried["order"] = []byte("2") // by a Put whose context ended
		if _, err := b.kv.Put(t.Context(), "order", []byte(test.found)); err != nil {
			t.Fatal(err)
		}
		if err := b.Put(t.Context(), "order", 3); !errors.Is(err, test.want) {
			t.Errorf("%s: error %v, want %v", name, err, test.want)
		}
		if err := b.Put(t.Context(), "order", 5); !errors.Is(err, test.want) {
			t.Errorf("%s: the next one: error %v, want %v", name, err, test.want)
		}
	}
}

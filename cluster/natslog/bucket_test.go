package natslog

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
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
		b.tried["order"] = [][]byte{[]byte("2")} // by a Put whose context ended
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

// lossy loses writes on their way, or the answers to them.
type lossy struct {
	jetstream.KeyValue
	writes, answers int // so many of the next
}

func (s *lossy) Update(ctx context.Context, key string, text []byte, revision uint64) (uint64, error) {
	switch {
	case s.answers > 0:
		s.answers--
		s.KeyValue.Update(ctx, key, text, revision)
	case s.writes > 0:
		s.writes--
	default:
		return s.KeyValue.Update(ctx, key, text, revision)
	}
	return 0, nats.ErrTimeout
}

// That holds however often the next Put has to try, and if there are several that end without an answer.
func TestPutAfterLostAnswers(t *testing.T) {
	t.Parallel()
	b := openBucketOf(t, connect(t, startServer(t, ServerConfig{})))
	b.WriteAlone()
	if err := b.Put(t.Context(), "order", 1); err != nil {
		t.Fatal(err)
	}
	line := &lossy{KeyValue: b.kv, answers: 1, writes: 2}
	b.kv, b.patience = line, time.Nanosecond
	for order := range 3 {
		if err := b.Put(t.Context(), "order", 2+order); !errors.Is(err, nats.ErrTimeout) {
			t.Errorf("order %d: error %v", order, err)
		}
	}
	line.writes, b.patience = 1, time.Minute
	if err := b.Put(t.Context(), "order", 9); err != nil {
		t.Error(err)
	}
}

package train

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"tengen/replay"
)

// notingSource is a source whose notes name the cursor that they belong to.
type notingSource struct {
	GameSource
	t       *testing.T
	resumed []uint64 // the cursors that Recent was called with
}

func (s *notingSource) Next(ctx context.Context, r Request) (Batch, error) {
	b, err := s.GameSource.Next(ctx, r)
	b.Notes = fmt.Append(nil, b.Cursor)
	return b, err
}

func (s *notingSource) Recent(ctx context.Context, cursor uint64, notes json.RawMessage, n int) ([]*replay.Record, error) {
	s.resumed = append(s.resumed, cursor)
	if want := fmt.Sprint(cursor); string(notes) != want {
		s.t.Errorf("the notes at cursor %s are %q", want, notes)
	}
	return s.GameSource.Recent(ctx, cursor, nil, n)
}

// A source that goes on gets the notes that belong to the games of the window, also from the checkpoint before the newest.
func TestNotesBelongToTheWindow(t *testing.T) {
	path := t.TempDir()
	source := &notingSource{t: t}
	goOn := func(iterations int) {
		t.Helper()
		r := newRun()
		r.cfg.Iterations = iterations
		r.source = func(s GameSource) GameSource {
			source.GameSource = s
			return source
		}
		if err := r.in(t, path); err != nil {
			t.Fatal(err)
		}
	}
	goOn(2)
	goOn(3)
	if err := os.WriteFile(filepath.Join(path, stateFolder, "checkpoint-00000003.safetensors"), []byte("damaged"), 0o644); err != nil {
		t.Fatal(err)
	}
	goOn(3)
	if want := []uint64{6, 6}; fmt.Sprint(source.resumed) != fmt.Sprint(want) {
		t.Errorf("it goes on at the cursors %d, want %d", source.resumed, want)
	}
}

package natslog

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"testing"
)

func openModels(t *testing.T, s *Server) *Models {
	t.Helper()
	m, err := OpenModels(t.Context(), connect(t, s), "run", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

func TestModels(t *testing.T) {
	ctx := t.Context()
	s := startServer(t, ServerConfig{})
	trainer, worker := openModels(t, s), openModels(t, s)
	if _, err := worker.Newest(ctx); !errors.Is(err, ErrNoModel) {
		t.Errorf("before the first: %v", err)
	}
	var published []Model
	for i := range 7 {
		content := bytes.Repeat([]byte{byte(i), 2, 3}, 100_000)
		d, err := trainer.Publish(ctx, uint64(i), content)
		if err != nil {
			t.Fatal(err)
		}
		published = append(published, d)
		newest, err := worker.Newest(ctx)
		if err != nil || !reflect.DeepEqual(newest, d) {
			t.Errorf("the newest is %+v, %v; want %+v", newest, err, d)
		}
		got, err := worker.Fetch(ctx, newest)
		if err != nil || !bytes.Equal(got, content) {
			t.Errorf("fetched %d bytes, %v; want %d", len(got), err, len(content))
		}
	}
	for i, d := range published {
		_, err := worker.Fetch(ctx, d)
		if kept := i >= len(published)-keepModels; kept != (err == nil) {
			t.Errorf("model %d: kept %v, error %v", i, kept, err)
		}
	}
	wrong := published[6]
	wrong.SHA256 = published[5].SHA256
	_, err := worker.Fetch(ctx, wrong)
	wantError(t, err, "do not match their digest")
}

// After going back to an earlier checkpoint, the model of a lower iteration is the newest.
func TestModelsGoBack(t *testing.T) {
	m := openModels(t, startServer(t, ServerConfig{}))
	for _, iteration := range []uint64{8, 9, 3, 3} {
		want, err := m.Publish(t.Context(), iteration, fmt.Append(nil, iteration))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := m.Newest(t.Context()); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("newest %+v, %v; want %+v", got, err, want)
		}
	}
}

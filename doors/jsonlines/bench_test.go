package jsonlines

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"io"
	"testing"

	"tengen/engine"
)

// BenchmarkStep is a request to step 256 games of Connect Four, answered.
func BenchmarkStep(b *testing.B) {
	e, err := engine.Open("connect4")
	if err != nil {
		b.Fatal(err)
	}
	c := engine.DefaultEnvironment()
	c.Games, c.AutoReset = 256, true
	s, err := newServer(e, c)
	if err != nil {
		b.Fatal(err)
	}
	s.answer(b.Context(), []byte(`{"reset":{}}`))
	out := json.NewEncoder(io.Discard)
	raw := make([]byte, 4*256)
	for turn := 0; b.Loop(); turn++ {
		for i := range c.Games {
			legal := s.games.Legal(i)
			action := uint32(0)
			if len(legal) > 0 {
				action = uint32(legal[turn%len(legal)])
			}
			binary.LittleEndian.PutUint32(raw[4*i:], action)
		}
		line := bytes.NewBufferString(`{"id":1,"step":"`)
		line.WriteString(base64.StdEncoding.EncodeToString(raw) + `"}`)
		if err := out.Encode(s.answer(b.Context(), line.Bytes())); err != nil {
			b.Fatal(err)
		}
	}
}

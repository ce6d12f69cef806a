package npz

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/mnk"
	"tengen/internal/frame"
	"tengen/internal/random"
	"tengen/replay"
)

// A game by hand, of which every number is known.
func TestColumns(t *testing.T) {
	g := &replay.Record{Opening: 1, Outcome: -1, Moves: []game.Action{0, 4, 8}}
	g.AppendSearch([]float32{0, 1, 0, 0, 3, 0, 0, 0, 0}, 0.5, 4, 128)
	g.AppendSearch([]float32{0, 0, 0, 0, 0, 0, 0, 0, 2}, -1, 2, replay.FullWeight)
	rules := mnk.TicTacToe()
	floats := func(values ...float32) (b []byte) {
		for _, x := range values {
			b = frame.AppendFloat32(b, x)
		}
		return b
	}
	want := map[string][]byte{
		"s": {
			0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
			1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1,
		},
		"pi": floats(0, 16384./65535, 0, 0, 49151./65535, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1),
		"z":  floats(1, -1),
		"w":  floats(0.5, 1),
		"v":  floats(0.5, -1),
		"n":  {4, 0, 0, 0, 2, 0, 0, 0},
	}
	for _, c := range columns(rules) {
		if got := c.rows(nil, rules.Start(), g); !slices.Equal(got, want[c.name]) {
			t.Errorf("%s:\n%v, want\n%v", c.name, got, want[c.name])
		}
	}
}

// A file of the archive has a header (TestHeader), and a row for each position of the games in their order.
func TestWrite(t *testing.T) {
	rules := mnk.TicTacToe()
	var all []*replay.Record
	positions := 0
	for number := range uint64(5) {
		g := replay.RandomRecord(rules, number, random.New(1, random.Test, number))
		all = append(all, g)
		positions += g.Searched()
	}
	var file bytes.Buffer
	err := Write(&file, rules, positions, func(yield func(*replay.Record) error) error {
		for _, g := range all {
			if err := yield(g); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	archive, err := zip.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	column, err := archive.Open("z.npy")
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(column)
	if err != nil {
		t.Fatal(err)
	}
	want := header("<f4", []int{positions})
	for _, g := range all {
		for ply := range g.Moves {
			want = frame.AppendFloat32(want, float32(g.OutcomeAt(ply)))
		}
	}
	if !bytes.Equal(content, want) {
		t.Errorf("z.npy:\n%q, want\n%q", content, want)
	}
	stop := errors.New("stop")
	if err := Write(io.Discard, rules, 0, func(func(*replay.Record) error) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("error %v, want the games'", err)
	}
}

// The beginning of numpy.save for an array of that kind, byte by byte.
func TestHeader(t *testing.T) {
	for _, c := range []struct {
		dtype, want string
		shape       []int
	}{
		{"<f4", "{'descr': '<f4', 'fortran_order': False, 'shape': (7, ), }", []int{7}},
		{"|u1", "{'descr': '|u1', 'fortran_order': False, 'shape': (123456789, 4, 6, 7, ), }", []int{123456789, 4, 6, 7}},
	} {
		h := string(header(c.dtype, c.shape))
		length := int(h[8]) + int(h[9])<<8
		text := h[10:]
		if !strings.HasPrefix(h, "\x93NUMPY\x01\x00") || len(text) != length || len(h)%64 != 0 ||
			!strings.HasSuffix(text, "\n") || strings.TrimSpace(text) != c.want {
			t.Errorf("%q", h)
		}
	}
}

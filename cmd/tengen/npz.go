package main

import (
	"archive/zip"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"

	"tengen/game"
	"tengen/replay"
)

// column is an array of an .npz file with a row for each position.
type column[S game.State[S]] struct {
	name  string
	dtype string // in NumPy's words
	shape []int  // of a row
	// row appends the row of the position s before the given ply of g.
	row func(dst []byte, s S, g *replay.Record, ply int) []byte
}

// writeNPZ writes a zip archive with a file in NumPy's own format for each column, of a log that has so many positions.
// The arrays follow one another in the file, so the log is read once for each, and never more than a game is in memory.
func (b bound[S]) writeNPZ(ctx context.Context, w io.Writer, log replay.Log, positions int) error {
	archive := zip.NewWriter(w)
	for _, c := range b.columns() {
		file, err := archive.Create(c.name + ".npy")
		if err != nil {
			return err
		}
		if _, err := file.Write(npyHeader(c.dtype, append([]int{positions}, c.shape...))); err != nil {
			return err
		}
		var rows []byte
		err = b.eachGame(ctx, log, func(g *replay.Record) error {
			rows = c.rows(rows[:0], b.game.Start(), g)
			_, err := file.Write(rows)
			return err
		}, nil)
		if err != nil {
			return err
		}
	}
	return archive.Close()
}

// rows appends the rows of a game's searched positions.
func (c column[S]) rows(dst []byte, s S, g *replay.Record) []byte {
	for ply, a := range g.Moves {
		if ply >= g.Opening {
			dst = c.row(dst, s, g, ply)
		}
		s = s.Play(a)
	}
	return dst
}

// columns are s, pi and z, as in replay.Batch.
func (b bound[S]) columns() []column[S] {
	size := b.game.Board()
	planes := make([]float32, game.InputLen(b.game))
	pi := make([]float32, b.game.Actions())
	return []column[S]{
		{"s", "|u1", []int{b.game.Planes(), size.Rows, size.Columns}, func(dst []byte, s S, _ *replay.Record, _ int) []byte {
			s.Encode(planes)
			for _, x := range planes {
				dst = append(dst, byte(x)) // 0 or 1
			}
			return dst
		}},
		{"pi", "<f4", []int{len(pi)}, func(dst []byte, _ S, g *replay.Record, ply int) []byte {
			clear(pi)
			actions, shares := visitShares(g, ply)
			for i, a := range actions {
				pi[a] = shares[i]
			}
			for _, x := range pi {
				dst = appendFloat32(dst, x)
			}
			return dst
		}},
		{"z", "<f4", nil, func(dst []byte, _ S, g *replay.Record, ply int) []byte {
			return appendFloat32(dst, float32(g.OutcomeAt(ply)))
		}},
	}
}

func appendFloat32(dst []byte, x float32) []byte {
	return binary.LittleEndian.AppendUint32(dst, math.Float32bits(x))
}

// npyHeader is the beginning of a file in NumPy's format 1.0: magic, version, and a Python dictionary after its length,
// which ends at a multiple of 64 bytes (NumPy Enhancement Proposal 1).
func npyHeader(dtype string, shape []int) []byte {
	const prefix = "\x93NUMPY\x01\x00"
	var axes strings.Builder
	for _, n := range shape {
		fmt.Fprintf(&axes, "%d, ", n)
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", dtype, axes.String())
	length := len(prefix) + 2 + len(text) + 1
	text += strings.Repeat(" ", (64-length%64)%64) + "\n"
	return append(binary.LittleEndian.AppendUint16([]byte(prefix), uint16(len(text))), text...)
}

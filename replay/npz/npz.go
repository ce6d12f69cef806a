// Package npz writes the positions of games as arrays for numpy.load: a zip archive with a file in NumPy's own format
// for each array (NumPy Enhancement Proposal 1).
package npz

import (
	"archive/zip"
	"encoding/binary"
	"fmt"
	"io"
	"strings"

	"tengen/game"
	"tengen/internal/frame"
	"tengen/replay"
)

// column is an array with a row for each position.
type column[S game.State[S]] struct {
	name  string
	dtype string // in NumPy's notation
	shape []int  // of a row
	// row appends the row for s, the position before the given ply of g.
	row func(dst []byte, s S, g *replay.Record, ply int) []byte
}

// Write writes training data, a row for each searched position of the games. positions is N, their number:
//
//	s   uint8   [N, planes, H, W]  the encoded position
//	pi  float32 [N, actions]       policy target, sums to 1; all 0 if there is none
//	z   float32 [N]                outcome of the game for the side to move: 1, 0 or -1
//	w   float32 [N]                weight in learning: usually 1; 0: not used
//	v   float32 [N]                value of the search for the side to move, in [-1, 1]
//	n   uint32  [N]                simulations of the search
//
// Depending on replay.Config, training derives its value targets from z and v.
//
// The file holds one array after another, so Write calls games once for each, and only one game is in memory. The games
// must be valid and the same each time; another number of positions is an error.
func Write[S game.State[S]](
	w io.Writer, rules game.Game[S], positions int, games func(yield func(*replay.Record) error) error,
) error {
	archive := zip.NewWriter(w)
	for _, c := range columns(rules) {
		file, err := archive.Create(c.name + ".npy")
		if err != nil {
			return err
		}
		if _, err := file.Write(header(c.dtype, append([]int{positions}, c.shape...))); err != nil {
			return err
		}
		var rows []byte
		written := 0
		err = games(func(g *replay.Record) error {
			rows = c.rows(rows[:0], rules.Start(), g)
			written += g.Searched()
			_, err := file.Write(rows)
			return err
		})
		if err == nil && written != positions {
			err = fmt.Errorf("the games have %d positions, but %d were counted: they have changed, so try again", written, positions)
		}
		if err != nil {
			return err
		}
	}
	return archive.Close()
}

func (c column[S]) rows(dst []byte, s S, g *replay.Record) []byte {
	for ply, a := range g.Moves {
		if ply >= g.Opening {
			dst = c.row(dst, s, g, ply)
		}
		s = s.Play(a)
	}
	return dst
}

func columns[S game.State[S]](rules game.Game[S]) []column[S] {
	size := rules.Board()
	planes := make([]float32, game.InputLen(rules))
	pi := make([]float32, rules.Actions())
	return []column[S]{
		{"s", "|u1", []int{rules.Planes(), size.Rows, size.Columns}, func(dst []byte, s S, _ *replay.Record, _ int) []byte {
			s.Encode(planes)
			for _, x := range planes {
				dst = append(dst, byte(x)) // 0 or 1
			}
			return dst
		}},
		{"pi", "<f4", []int{len(pi)}, func(dst []byte, _ S, g *replay.Record, ply int) []byte {
			clear(pi)
			for a, share := range g.Policy.Shares(ply - g.Opening) {
				pi[a] = share
			}
			for _, x := range pi {
				dst = frame.AppendFloat32(dst, x)
			}
			return dst
		}},
		{"z", "<f4", nil, func(dst []byte, _ S, g *replay.Record, ply int) []byte {
			return frame.AppendFloat32(dst, float32(g.OutcomeAt(ply)))
		}},
		{"w", "<f4", nil, func(dst []byte, _ S, g *replay.Record, ply int) []byte {
			return frame.AppendFloat32(dst, float32(g.Weights[ply-g.Opening])/replay.FullWeight)
		}},
		{"v", "<f4", nil, func(dst []byte, _ S, g *replay.Record, ply int) []byte {
			return frame.AppendFloat32(dst, g.Values[ply-g.Opening])
		}},
		{"n", "<u4", nil, func(dst []byte, _ S, g *replay.Record, ply int) []byte {
			return binary.LittleEndian.AppendUint32(dst, g.Simulations[ply-g.Opening])
		}},
	}
}

// header returns the header of NumPy's format 1.0: magic, version, and a Python dictionary after its length, padded to
// a multiple of 64 bytes.
func header(dtype string, shape []int) []byte {
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

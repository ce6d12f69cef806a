// Package chart draws line charts to look at: learning curves, ratings, mistakes by stage.
//
// A Line is drawn by gonum's plot into SVG and PNG, or by Inline into a page. The picture depends on the data alone: the same chart gives the same bytes.
package chart

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"tengen/internal/atomicfile"
)

// The size of a picture in pixels, of 1/96 inch in SVG files.
const (
	Width  = 900
	Height = 520
)

// Line is a chart of one or more lines over a common horizontal axis.
type Line struct {
	Title, XLabel, YLabel string
	Series                []Series // named in a legend if there are several
	FromZero              bool     // the vertical axis reaches down to 0, as it should for shares
}

// Series is one line. Its points are drawn in their order; X and Y have the same length, at least 1 but for Inline.
type Series struct {
	Name      string
	X, Y      []float64
	Low, High []float64 // a band around the line, such as a confidence interval: both as long as Y, or both empty
}

// Save writes the chart to path, whose extension chooses the format: .png or .svg. It is an error if there is nothing to
// draw, or something that is not a number.
func (l Line) Save(path string) error {
	write, ok := formats[strings.ToLower(filepath.Ext(path))]
	if !ok {
		return fmt.Errorf("chart %s: unknown extension %q, write .png or .svg", path, filepath.Ext(path))
	}
	if err := l.validate(); err != nil {
		return fmt.Errorf("chart %s: %w", path, err)
	}
	return atomicfile.Write(path, 0o644, func(w io.Writer) error { return write(w, l) })
}

func (l Line) validate() error {
	if len(l.Series) == 0 {
		return errors.New("no series to draw")
	}
	for _, s := range l.Series {
		if err := s.validate(); err != nil {
			return fmt.Errorf("series %q: %w", s.Name, err)
		}
	}
	return nil
}

func (s Series) validate() error {
	n := len(s.X)
	if n == 0 {
		return errors.New("no points to draw")
	}
	if len(s.Y) != n {
		return fmt.Errorf("%d values of X but %d of Y", n, len(s.Y))
	}
	if len(s.Low) != len(s.High) || len(s.Low) != 0 && len(s.Low) != n {
		return fmt.Errorf("%d points with a band of %d low and %d high values", n, len(s.Low), len(s.High))
	}
	for _, values := range [][]float64{s.X, s.Y, s.Low, s.High} {
		for i, v := range values {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("point %d has the value %v, which has no place on a chart", i+1, v)
			}
		}
	}
	return nil
}

// formats are the file formats that Save writes, by extension.
var formats = map[string]func(io.Writer, Line) error{".png": writePNG, ".svg": writeSVG}

func writePNG(w io.Writer, l Line) error {
	c := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(Width*pixel, Height*pixel), vgimg.UseDPI(96))}
	if err := l.draw(draw.New(c)); err != nil {
		return err
	}
	_, err := c.WriteTo(w)
	return err
}

// writeSVG does not embed the font that the layout is made with, which is ten times as large as a chart, but names others of
// the same widths beside it.
func writeSVG(w io.Writer, l Line) error {
	c := vgsvg.New(Width*pixel, Height*pixel)
	if err := l.draw(draw.New(c)); err != nil {
		return err
	}
	var svg bytes.Buffer
	if _, err := c.WriteTo(&svg); err != nil {
		return err
	}
	_, err := w.Write(bytes.ReplaceAll(svg.Bytes(),
		[]byte("font-family:Liberation Sans;"), []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;")))
	return err
}

package chart

import (
	"bytes"
	"io"

	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

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

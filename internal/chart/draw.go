package chart

import (
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// palette is by Okabe and Ito (2008, "Color Universal Design"), which colour-blind people can tell apart, without
// black, which is for text, and yellow, which is too faint on white. Further series begin again.
var palette = []color.NRGBA{
	{R: 0, G: 114, B: 178, A: 255},   // blue
	{R: 213, G: 94, B: 0, A: 255},    // vermilion
	{R: 0, G: 158, B: 115, A: 255},   // bluish green
	{R: 204, G: 121, B: 167, A: 255}, // reddish purple
	{R: 230, G: 159, B: 0, A: 255},   // orange
	{R: 86, G: 180, B: 233, A: 255},  // sky blue
}

var (
	dark  = color.Gray{Y: 40}  // title
	faded = color.Gray{Y: 90}  // other text
	light = color.Gray{Y: 225} // grid
)

const (
	bandOpacity = 45 // of 255: the grid and other bands shine through
	maxMarks    = 25 // points on a line that are marked; more would look like beads
)

// pixel is a CSS pixel, the unit of all sizes here.
const pixel = vg.Inch / 96

// draw fills the canvas: the title, the legend below it, where it covers no data, and the plot in the rest.
func (l Line) draw(c draw.Canvas) error {
	p := l.plot()
	for i, s := range l.Series {
		if err := addSeries(p, s, colour(i)); err != nil {
			return err
		}
	}
	if l.FromZero {
		p.Y.Min = min(p.Y.Min, 0)
	}
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, 24*pixel, -24*pixel, 16*pixel, -20*pixel)
	if l.Title != "" {
		c.FillText(style(22, dark), vg.Point{X: c.Min.X, Y: c.Max.Y}, l.Title)
		c.Max.Y -= 40 * pixel
	}
	if len(l.Series) > 1 {
		c.Max.Y = l.drawLegend(c) - 18*pixel
	}
	p.Draw(c)
	return nil
}

// drawLegend names the series in rows from the top of the canvas, and returns where the last one ends.
func (l Line) drawLegend(c draw.Canvas) (bottom vg.Length) {
	const dash, gap, next, row = 24 * pixel, 8 * pixel, 28 * pixel, 24 * pixel
	names := style(15, faded)
	at := vg.Point{X: c.Min.X, Y: c.Max.Y}
	for i, s := range l.Series {
		width := dash + gap + names.Width(s.Name)
		if at.X > c.Min.X && at.X+width > c.Max.X {
			at.X, at.Y = c.Min.X, at.Y-row
		}
		middle := at.Y - row/2
		c.StrokeLine2(draw.LineStyle{Color: colour(i), Width: 4 * pixel}, at.X, middle, at.X+dash, middle)
		c.FillText(names, vg.Point{X: at.X + dash + gap, Y: at.Y - 3*pixel}, s.Name)
		at.X += width + next
	}
	return at.Y - row
}

func colour(series int) color.NRGBA { return palette[series%len(palette)] }

// style is text whose upper left corner is the point where it is drawn.
func style(pixels vg.Length, c color.Color) text.Style {
	return text.Style{Font: sans(pixels), Color: c, XAlign: draw.XLeft, YAlign: draw.YTop, Handler: plot.DefaultTextHandler}
}

func sans(pixels vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: pixels * pixel}
}

// plot is the empty plot: axes and grid.
func (l Line) plot() *plot.Plot {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = l.XLabel, l.YLabel
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle.Font, axis.Label.TextStyle.Color = sans(15), faded
		axis.Label.Padding = 8 * pixel
		axis.LineStyle.Width = 0 // the grid shows where it is
		axis.Padding = 0
		axis.Tick.Label.Font, axis.Tick.Label.Color = sans(14), faded
		axis.Tick.LineStyle = draw.LineStyle{Color: light, Width: pixel}
		axis.Tick.Length = 6 * pixel
		axis.Tick.Marker = plot.TickerFunc(ticks)
	}
	p.Y.AutoRescale = true // to whole ticks
	grid := plotter.NewGrid()
	grid.Horizontal, grid.Vertical = p.Y.Tick.LineStyle, p.X.Tick.LineStyle
	p.Add(grid)
	return p
}

// addSeries adds a line over its band.
func addSeries(p *plot.Plot, s Series, c color.NRGBA) error {
	if len(s.Low) > 0 {
		band, err := plotter.NewPolygon(outline(s))
		if err != nil {
			return err
		}
		band.LineStyle.Width = 0
		band.Color = color.NRGBA{R: c.R, G: c.G, B: c.B, A: bandOpacity}
		p.Add(band)
	}
	line, marks, err := plotter.NewLinePoints(points(s.X, s.Y))
	if err != nil {
		return err
	}
	line.LineStyle = draw.LineStyle{Color: c, Width: 2.5 * pixel}
	p.Add(line)
	if len(s.X) <= maxMarks {
		marks.GlyphStyle = draw.GlyphStyle{Color: c, Radius: 3.5 * pixel, Shape: draw.CircleGlyph{}}
		p.Add(struct{ plot.Plotter }{marks}) // wrapped, or its GlyphBoxes would move the plot off its axes
	}
	return nil
}

// points pairs two slices of equal lengths.
func points(x, y []float64) plotter.XYs {
	xys := make(plotter.XYs, len(x))
	for i := range xys {
		xys[i] = plotter.XY{X: x[i], Y: y[i]}
	}
	return xys
}

// outline goes along the upper side of a band and back along the lower.
func outline(s Series) plotter.XYs {
	xys := points(s.X, s.High)
	for i := len(s.X) - 1; i >= 0; i-- {
		xys = append(xys, plotter.XY{X: s.X[i], Y: s.Low[i]})
	}
	return xys
}

// ticks divides an axis at round numbers, from the last that is not above low to the first that is not below high, which is
// above low.
func ticks(low, high float64) []plot.Tick {
	step, decimals := roundStep((high - low) / 5)
	const tolerance = 1e-6 // of a step: rounding errors at the ends
	first, last := math.Floor(low/step+tolerance), math.Ceil(high/step-tolerance)
	var all []plot.Tick
	for i := range int(last-first) + 1 {
		x := (first + float64(i)) * step
		all = append(all, plot.Tick{Value: x, Label: strconv.FormatFloat(x, 'f', decimals, 64)})
	}
	return all
}

// roundStep is the smallest of 1, 2 and 5 times a power of ten that is not below x, which is above 0, and the decimals that
// its multiples are written with.
func roundStep(x float64) (step float64, decimals int) {
	exponent := math.Floor(math.Log10(x))
	for _, digit := range []float64{1, 2, 5} {
		if step = digit * math.Pow(10, exponent); step >= x {
			return step, max(0, -int(exponent))
		}
	}
	return math.Pow(10, exponent+1), max(0, -int(exponent)-1)
}

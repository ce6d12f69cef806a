package chart

import (
	"fmt"
	"html"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
)

// Style is the style sheet of a page with inline charts: light or dark as the reader's system is, and for print. A series is
// told by its colour and by the dashes of its line.
const Style = `.chart { --axis: #8a8f98; --text: #5b616b; --grid: #e4e6ea; width: 100%; height: auto; display: block; overflow: visible; }
.s0 { --c: #0072b2; } .s1 { --c: #b84a00; } .s2 { --c: #00795a; } .s3 { --c: #a5457c; } .s4 { --c: #8a6100; } .s5 { --c: #2b7fa8; }
.chart .grid { stroke: var(--grid); stroke-width: 1; }
.chart .base { stroke: var(--axis); stroke-width: 1; }
.chart text { font: 13px system-ui, sans-serif; fill: var(--text); font-variant-numeric: tabular-nums; }
.chart .line, .swatch line { fill: none; stroke: var(--c); stroke-width: 2.25; stroke-linejoin: round; stroke-linecap: round; }
.chart .band { fill: var(--c); opacity: .14; }
.chart .mark { fill: var(--c); }
.s1 .line, .swatch.s1 line { stroke-dasharray: 8 5; } .s2 .line, .swatch.s2 line { stroke-dasharray: 2 5; }
.s3 .line, .swatch.s3 line { stroke-dasharray: 12 4 2 4; } .s4 .line, .swatch.s4 line { stroke-dasharray: 5 4; }
.s5 .line, .swatch.s5 line { stroke-dasharray: 1 4 6 4; }
@media (max-width: 700px) { .chart text { font-size: 20px; } }
@media (prefers-color-scheme: dark) {
  .chart { --axis: #7d838d; --text: #a9afb8; --grid: #2c313a; }
  .s0 { --c: #56b4e9; } .s1 { --c: #ff9a5c; } .s2 { --c: #3ecfa3; } .s3 { --c: #e79ac4; } .s4 { --c: #f0c04c; } .s5 { --c: #9fd3f0; }
}
`

// inlineStyles is the number of series that Style tells apart. Further ones begin again.
const inlineStyles = 6

// The size of an inline chart in units of its own, and the plot's distances from its borders.
const (
	inlineWidth, inlineHeight               = 640, 320
	plotLeft, plotRight, plotTop, plotBelow = 64, 22, 14, 54
)

// Inline writes the chart as an SVG element for a page of HTML that has Style. Title and names of series are said to screen
// readers, and not drawn: the page has them. id, a word, is to be that of no other element. A series without points is left out,
// and keeps its place in the order of colours. The horizontal axis counts from 0, so that the charts of a page line up. Errors are
// those of Save.
func (l Line) Inline(w io.Writer, id string) error {
	drawn := Line{}
	for _, s := range l.Series {
		if len(s.X) > 0 {
			drawn.Series = append(drawn.Series, s)
		}
	}
	if err := drawn.validate(); err != nil {
		return fmt.Errorf("chart %q: %w", l.Title, err)
	}
	a := l.area(drawn.Series)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="chart" viewBox="0 0 %d %d" role="img" aria-labelledby="%s-t %s-d">`, inlineWidth, inlineHeight, id, id)
	fmt.Fprintf(&b, "<title id=\"%s-t\">%s</title><desc id=\"%s-d\">%s</desc>\n", id, html.EscapeString(l.Title), id, html.EscapeString(l.describe()))
	a.drawAxes(&b, l.XLabel)
	for i, s := range l.Series {
		if len(s.X) > 0 {
			fmt.Fprintf(&b, "<g class=\"s%d\">", i%inlineStyles)
			a.drawSeries(&b, s)
			b.WriteString("</g>\n")
		}
	}
	b.WriteString("</svg>")
	_, err := io.WriteString(w, b.String())
	return err
}

// Swatch is an SVG element with the line of the i-th series of an inline chart, for a legend.
func Swatch(i int) string {
	return fmt.Sprintf(`<svg class="swatch s%d" viewBox="0 0 28 8" width="28" height="8" aria-hidden="true"><line x1="1" y1="4" x2="27" y2="4"/></svg>`, i%inlineStyles)
}

// describe says in words where each series begins and ends.
func (l Line) describe() string {
	text := l.YLabel + " over " + l.XLabel + "."
	for _, s := range l.Series {
		if n := len(s.X); n > 0 {
			text += fmt.Sprintf(" %s: %s at %s to %s at %s.", s.Name, Number(s.Y[0]), Number(s.X[0]), Number(s.Y[n-1]), Number(s.X[n-1]))
		}
	}
	return text
}

// Number writes a number with four digits, or as many as it has before the point.
func Number(x float64) string {
	if math.Abs(x) >= 1000 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', 4, 64)
}

// area maps values to places in an inline chart.
type area struct{ x, y axis }

// axis is a range of values with round numbers in it.
type axis struct {
	low, high float64
	ticks     []plot.Tick
}

// area holds all points and bands of some series, of which there is at least one.
func (l Line) area(series []Series) area {
	x, y := axis{low: math.Inf(1), high: math.Inf(-1)}, axis{low: math.Inf(1), high: math.Inf(-1)}
	for _, s := range series {
		x.take(s.X)
		y.take(s.Y)
		y.take(s.Low)
		y.take(s.High)
	}
	if l.FromZero {
		y.low = min(0, y.low)
	}
	x.low = min(0, x.low)
	x, y = x.ticked(), y.ticked()
	x.ticks = slices.DeleteFunc(x.ticks, func(t plot.Tick) bool { return t.Value < x.low || t.Value > x.high })
	y.low, y.high = y.ticks[0].Value, y.ticks[len(y.ticks)-1].Value
	return area{x, y}
}

func (a *axis) take(values []float64) {
	for _, v := range values {
		a.low, a.high = min(a.low, v), max(a.high, v)
	}
}

// ticked divides the axis, once it is wider than a point.
func (a axis) ticked() axis {
	if a.low == a.high {
		margin := max(1e-3, math.Abs(a.low)/10)
		a.low, a.high = a.low-margin, a.high+margin
	}
	a.ticks = ticks(a.low, a.high)
	return a
}

// Grouped puts commas between the thousands of a number.
func Grouped(number string) string {
	whole, fraction, _ := strings.Cut(number, ".")
	sign := whole[:len(whole)-len(strings.TrimPrefix(whole, "-"))]
	whole = whole[len(sign):]
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if fraction != "" {
		whole += "." + fraction
	}
	return sign + whole
}

func (a area) left(x float64) float64 {
	return plotLeft + (x-a.x.low)/(a.x.high-a.x.low)*(inlineWidth-plotLeft-plotRight)
}

func (a area) top(y float64) float64 {
	return plotTop + (a.y.high-y)/(a.y.high-a.y.low)*(inlineHeight-plotTop-plotBelow)
}

func (a area) drawAxes(b *strings.Builder, xLabel string) {
	const bottom, right = inlineHeight - plotBelow, inlineWidth - plotRight
	for _, t := range a.y.ticks {
		y := a.top(t.Value)
		fmt.Fprintf(b, `<line class="grid" x1="%d" x2="%d" y1="%.1f" y2="%.1f"/>`, plotLeft, right, y, y)
		fmt.Fprintf(b, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", plotLeft-8, y+4.5, Grouped(t.Label))
	}
	fmt.Fprintf(b, `<line class="base" x1="%d" x2="%d" y1="%d" y2="%d"/>`, plotLeft, right, bottom, bottom)
	for _, t := range a.x.ticks {
		fmt.Fprintf(b, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", a.left(t.Value), bottom+20, Grouped(t.Label))
	}
	fmt.Fprintf(b, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", (plotLeft+right)/2, inlineHeight-8, html.EscapeString(xLabel))
}

// drawSeries draws the band, the line over it, and the points if they are few.
func (a area) drawSeries(b *strings.Builder, s Series) {
	if len(s.Low) > 0 {
		fmt.Fprintf(b, `<polygon class="band" points="%s"/>`, a.path(outline(s)))
	}
	line := points(s.X, s.Y)
	fmt.Fprintf(b, `<polyline class="line" points="%s"/>`, a.path(line))
	if len(line) <= maxMarks {
		for _, p := range line {
			fmt.Fprintf(b, `<circle class="mark" r="3.5" cx="%.1f" cy="%.1f"/>`, a.left(p.X), a.top(p.Y))
		}
	}
}

// path lists the places of points.
func (a area) path(xys plotter.XYs) string {
	places := make([]string, len(xys))
	for i, p := range xys {
		places[i] = fmt.Sprintf("%.1f,%.1f", a.left(p.X), a.top(p.Y))
	}
	return strings.Join(places, " ")
}
